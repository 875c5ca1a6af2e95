"""Recognises responses with status 200 that are no real pages: soft 404s, captchas, login walls, pages that only a script fills."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

from topicspider.text.normalise import normalise

if TYPE_CHECKING:
    from topicspider.page.parsed_page import Reading


_THING_ZH = (
    "页面|网页|该页|此页|链接|网址|地址|文章|帖子|贴子|主题|内容|信息|新闻|资源|文件|商品|产品|宝贝|视频|日志|博文|微博|话题|"
    "资讯|公告|栏目|职位|房源|店铺|作品|章节|条目|词条|模块|控制器|[该此本]帖"
)
_GONE_ZH = (
    "不存在|未找到|没有?找到|找不到|无法找到|不见了|已(?:经)?(?:失效|下架|下线|过期)|"
    "(?:已经?被?|被)(?:作者|楼主|管理员|发布者|用户|版主)?(?:自行)?(?:删除|移除|屏蔽|撤回|清除|删掉)"
)
_THING_EN = (
    "page|file|document|post|article|topic|thread|content|item|product|listing|video|url|resource|link|entry|address"
)
_GONE_EN = (
    "not (?:be )?found|not exist|n['’]?t exist|no longer (?:exists?|available|here)|(?:has|have) been (?:removed|deleted)|"
    "was (?:removed|deleted)|can(?:not|['’]?t) be found|(?:is|are) missing"
)

SOFT_NOT_FOUND = re.compile(
    rf"(?:{_THING_ZH})[^。!?\n]{{0,20}}(?:{_GONE_ZH})|(?:{_GONE_ZH})[^。!?\n]{{0,15}}(?:{_THING_ZH})|"
    rf"\b(?:{_THING_EN})s?\b[^.!?\n]{{0,60}}\b(?:{_GONE_EN})|"
    rf"(?:can(?:not|['’]?t)|could ?n['’o]?t|unable to|did ?n['’o]?t) (?:find|locate)\b[^.!?\n]{{0,30}}\b(?:{_THING_EN})|"
    r"(?<!\d)404(?!\d)\W{0,3}(?:(?:error|http|page|file|错误|页面)(?:\W{0,3}(?:not found|不存在|未找到|找不到))?|not found|未找到|找不到|出错)|(?:error|http|错误|代码)\W{0,3}404(?!\d)|^\W{0,3}404\W{0,3}$|"
    rf"^(?:error\W{{0,3}})?not found\b|(?:{_THING_ZH}|哎呀|抱歉)[^。\n]{{0,8}}(?:走丢|迷路|飞走)|页面[^。\n]{{0,8}}丢失|"
    r"(?:违规|侵权|违法)[^。\n]{0,12}(?:无法|不能|不予)(?:查看|显示|访问)|(?:お探しの)?ページ[^。\n]{0,12}(?:[見见]つかり(?:ません)?(?:でした)?|存在し|ありません)|[見见]つかりませんでした|페이지[^.\n]{0,10}(?:찾을 수 없|존재하지 않)|존재하지 않는 페이지|"
    r"p[áa]gina[^.\n]{0,20}(?:no (?:encontrada|existe|disponible)|n[ãa]o (?:foi )?(?:encontrada|existe)|non (?:trovata|esiste)|niet gevonden)|"
    r"page[^.\n]{0,20}(?:non trouv|introuvable|n['’]existe)|seite[^.\n]{0,30}(?:nicht gefunden|existiert nicht)|"
    r"страниц\w{0,3}[^.\n]{0,20} не (?:найден|существует)|sayfa bulunamad|không tìm thấy|nie (?:znaleziono|istnieje)|"
    r"الصفحة[^.\n]{0,25}غير موجودة|العثور على الصفحة"
)
CAPTCHA = re.compile(
    r"(?:请|需要?|先)[^。\n]{0,12}(?:输入|填写|完成|拖动|滑动|点击|通过)[^。\n]{0,15}(?:验证|滑块|拼图|校验)|"
    r"安全(?:验证|校验)|人机(?:验证|校验|识别)|滑(?:动|块)验证|访问验证|验证中心|行为验证|"
    r"(?:不是|是否为?|您是)(?:真人|机器人|自动程序)|正在(?:检查|验证|检测)您?的?(?:浏览器|网络|连接|访问|环境)|"
    r"verify (?:that )?you(?:['’]re| are)\b|are you (?:a )?(?:human|robot)|not a robot|you(?:['’]re| are) (?:a )?human|"
    r"(?:complete|solve|pass)[^.\n]{0,20}(?:captcha|security check|challenge|puzzle)|checking (?:your browser|if the site)|"
    r"^\W{0,3}(?:just a moment|one moment)[, ]{0,2}(?:please)?\W{0,5}$|unusual (?:traffic|activity)|security (?:check|verification|challenge)|"
    r"(?:human|robot|bot) (?:verification|check)|(?:type|enter) the (?:characters|text|code|letters)|press (?:and|&) hold|\bcaptcha\b|"
    r"ロボットではありません|自[動动]入力|로봇이 아닙니다|보안 ?문자|no (?:soy|eres) un robot|pas un robot|kein roboter|вы не робот"
)
BLOCKED = re.compile(
    r"(?:访问|请求|操作|刷新)[^。\n]{0,6}(?:过于|太过?|过)频繁|"
    r"(?:访问|请求|操作)[^。\n]{0,20}(?:被(?:拦截|阻断|拒绝|禁止|阻止)|存在(?:安全)?(?:风险|威胁|异常))|"
    r"(?<![a-z])ip(?![a-z])[^。\n]{0,15}(?:被封|被禁|被限制|封禁|黑名单)|拒绝访问|禁止访问|网站防火墙|应用防火墙|恶意(?:请求|访问|攻击)|"
    r"\baccess\b[^.\n]{0,40}\b(?:denied|forbidden|blocked|restricted)|you(?:['’]ve| have) been (?:blocked|banned)|"
    r"your (?:ip|request|access)\b[^.\n]{0,40}\b(?:blocked|banned|denied|rejected)|too many requests|rate limit|attention required|"
    r"(?<!\d)403\W{0,3}(?:forbidden|禁止)|^\W{0,3}forbidden\W{0,3}$|requested url was rejected|application firewall|"
    r"アクセス[^。\n]{0,10}(?:拒否|禁止|集中)|접근이? ?(?:거부|차단)|acceso denegado|accès refusé|zugriff verweigert|доступ (?:запрещ|ограничен)"
)
LOGIN_WALL = re.compile(
    r"(?:请|需要?|必须|才能|您?还?(?:未|没有?))[^。\n]{0,10}(?:登录|登陆|登入)|(?:登录|登陆|登入)(?:之?后|以|才|方可|即可|查看|阅读)|"
    r"(?:无权限?|没有权限)[^。\n]{0,6}(?:访问|查看|浏览|阅读)|仅(?:限|对)?(?:会员|注册用户|登录用户)|(?:开通|成为|购买|加入)[^。\n]{0,8}(?:会员|vip)[^。\n]{0,6}(?:继续|即可|才能|解锁|阅读|查看)|"
    r"(?:please|must|need to|have to|required to)\b[^.\n]{0,12}\b(?:log|sign|logged|signed)[ -]?in\b|"
    r"\b(?:log|sign)[ -]?in (?:or \w{1,12} )?(?:to|is required|required)\b|not (?:logged|signed) in|(?:members?|subscribers?) only|(?:subscribe|register|sign up) to (?:continue|keep|read)|"
    r"permission to (?:access|view|read)|ログインし|ログインが必要|로그인이? ?(?:필요|후|하)|inici(?:a|e|ar) sesi[óo]n|connectez-vous|"
    r"melden sie sich|войдите|авторизуйтесь"
)
LOGIN_NAME = re.compile(
    r"(?:用户|会员|账号|帐号|账户|系统|后台|管理员?|统一身份|欢迎)?(?:登录|登陆|登入|认证)(?:页面?|系统|平台|中心|\W{0,3}注册)?|"
    r"(?:user |member |admin |account |please )?(?:log|sign)[ -]?in(?: page| required|\W{1,3}(?:sign ?up|register))?|login required|"
    r"ログイン|로그인|iniciar sesi[óo]n|identificarse|acceder|accedi|inloggen|logga in|zaloguj się|giriş yap|connexion|anmelden|anmeldung|вход|авторизация"
)
NEEDS_SCRIPT = re.compile(
    r"(?:开启|启用|打开|允许|支持|激活)[^。\n]{0,12}(?:javascript|js脚本|脚本)|"
    r"(?:javascript|js脚本)[^。\n]{0,14}(?:禁用|未启用|未开启|关闭|不可用|打开|开启|启用|才能)|"
    r"\b(?:enable|activate)\b[^.\n]{0,15}\bjs\b|"
    r"(?:enable|activate|turn(?:ing)? on|allow|requires?|without|needs?)\b[^.\n]{0,25}\bjavascript|"
    r"\bjavascript\b[^.\n]{0,30}(?:disabled|enabled|required|is off|not (?:available|supported))|"
    r"javascript[^。\n]{0,4}(?:を有効|が[無无][効效])|자바스크립트|(?:activ|habilit)\w{1,4} javascript|javascript (?:aktivieren|désactivé)|включите javascript"
)
REMARK = re.compile(r"评论|回复|留言|发表|发帖|点赞|收藏|下载|\b(?:comment|reply|post|vote|rate|bookmark)")
"""What readers log in for below a real page: to comment, reply, vote, …"""
PARKED = re.compile(
    r"域名[^。\n]{0,15}(?:出售|转让|待售|可售|过期|到期)|(?:出售|转让)[^。\n]{0,6}域名|"
    r"\bdomain\b[^!?\n]{0,80}\b(?:for sale|parked|available for (?:sale|purchase)|has expired|is expired)|buy this domain|account (?:has been |is )?suspended|"
    r"welcome to nginx|\bapache2?\b[^.\n]{0,20}default page|iis windows server|没有找到站点|站点创建成功|(?:网站|域名)[^。\n]{0,6}未备案|ドメイン[^。\n]{0,12}[販贩][売卖]"
)
BROKEN = re.compile(
    r"error establishing a database|数据库[^。\n]{0,8}(?:错误|失败|出错|异常)|can(?:not|['’]?t) connect to[^.\n]{0,20}(?:database|mysql)|"
    r"(?<!\d)50[0234](?!\d)\W{0,3}(?:bad|service|internal|gateway|server|error|错误)|internal server error|service (?:temporarily |is )?unavailable|"
    r"bad gateway|gateway time-?out|(?:网站|系统|站点|服务器)[^。\n]{0,10}(?:维护中|正在维护|升级中|繁忙|故障|出错|暂停(?:访问|服务)|已关闭)|(?:系统|服务器|程序)(?:发生|出现|内部)?错误|"
    r"(?:under|down for|undergoing|scheduled)\b[^.\n]{0,12}\bmaintenance|^\W{0,3}fatal error\b|メンテナンス中|점검 ?중"
)
ABOUT = re.compile(
    r"怎么|如何|为什么|什么|解决|方法|教程|指南|历史|原理|歌词|[?]|"
    r"\b(?:how|why|what|fix|fixing|guide|history|tutorial|lyrics|explained|best|understanding|handling)\b"
)
"""A title with such a word belongs to a text about errors, captchas, …, not to an error page."""
_MOUNTS = "app root __next __nuxt __layout app-root react-root root-container reactroot svelte ___gatsby q-app vue-app ng-app mount page-root"
MOUNTS = frozenset(_MOUNTS.split())
"""Classes and ids of the elements that scripts render a whole page into."""
MOUNT_TAGS = frozenset({"app-root", "my-app", "app-shell"})


CONDITIONS = "soft_not_found", "captcha", "blocked", "login_wall", "needs_script", "soft_error", "parked", "empty"
_A_TEXT = 900
"""A page with more bytes of running text than this (300 Chinese characters) is a real page, whatever its title says."""
_FEW_WORDS = 600
"""Up to this many bytes outside links, one sentence can decide about the page."""
_HARDLY_ANY = 200
_MANY_LINKS = 40
"""A page with more links is taken for a list of links; except for soft 404s, its title is then no evidence."""
_FEW_LINKS = 8
_QUOTED = re.compile(r"[\"“「『][^\"“”「」『』]{1,60}[\"”」』]")
"""A quotation, which is ignored: it says nothing about the page itself."""
_SEPARATORS = re.compile(r"\s[-|–—:·»«/]{1,2}\s|[|_—–:·»«\n!]")
_ORDER = "captcha", "blocked", "soft_not_found", "soft_error", "parked"
_SPEAKING = tuple(zip(_ORDER, (CAPTCHA, BLOCKED, SOFT_NOT_FOUND, BROKEN, PARKED), strict=True))


@dataclass(frozen=True, slots=True)
class Condition:
    """Why a response is no real page: ``name``, one of CONDITIONS ("" for a real page), and ``why``, the evidence."""

    name: str = ""
    why: str = ""


A_PAGE = Condition()


def condition_of(reading: Reading, title: str, body: str) -> Condition:
    """The condition of a page with this title and running text; A_PAGE when it is a real page."""
    if len(body) > _A_TEXT or len(body.encode("utf-8", "ignore")) > _A_TEXT:
        return A_PAGE
    lines, said = _lines_of(reading)
    if said > 2 * _A_TEXT:
        return A_PAGE
    names, sentences = _names_of(reading, title), [normalise(line) for line in lines]
    return (
        _by_itself(title, names, sentences, said, len(reading.anchors))
        or _needs_script(reading, title, said)
        or _login(reading, names, sentences, said)
        or A_PAGE
    )


def _lines_of(reading: Reading) -> tuple[list[str], int]:
    """(the first 12 short lines that are not mostly links, the bytes of all such lines, counted up to 2·_A_TEXT or a little more)."""
    lines: list[str] = []
    said = 0
    for block in reading.blocks:
        text = reading.block_text(block)
        if block.linked * 2 > len(text):
            continue
        said += len(text.encode("utf-8", "ignore"))
        if said > 2 * _A_TEXT:
            break
        if len(lines) < 12 and len(text) <= 160:
            lines.append(text)
    return lines, said


def _names_of(reading: Reading, title: str) -> list[str]:
    """The parts of the page's titles and of its first three headings, normalised."""
    texts = [reading.title[:300], title]
    texts += [reading.block_text(reading.blocks[at])[:160] for at in reading.headings[:3]]
    parts = (part.strip(" .。…,，") for text in texts for part in _SEPARATORS.split(text))
    return list(map(normalise, [part for part in dict.fromkeys(parts) if 0 < len(part) <= 60]))


def _by_itself(title: str, names: list[str], sentences: list[str], said: int, links: int) -> Condition | None:
    """The condition that most of a part of the title states, or one of few sentences; None if the title shows a text about that subject.

    Only a soft 404 is expected within a site's menus and other text; pages of the other conditions are bare.
    """
    if ABOUT.search(normalise(title)):
        return None
    is_bare = said <= _FEW_WORDS and links <= _MANY_LINKS
    for name, (kind, pattern) in product(names, _SPEAKING):
        found = pattern.search(name) if is_bare or kind == "soft_not_found" else None
        if found and 5 * len(found[0]) >= 3 * len(name):
            return Condition(kind, f"title: {name}")
    for sentence, (kind, pattern) in product(sentences if is_bare else (), _SPEAKING):
        if pattern.search(_QUOTED.sub("", sentence)) and 6 * len(sentence.encode("utf-8", "ignore")) >= said:
            return Condition(kind, f"text: {sentence}")
    return None


def _login(reading: Reading, names: list[str], sentences: list[str], said: int) -> Condition | None:
    """A login wall: a password form, or a request to log in, and little else to read."""
    links = len(reading.anchors)
    name = next((name for name in names if LOGIN_NAME.fullmatch(name)), "")
    sentence = next((text for text in sentences if LOGIN_WALL.search(text) and not REMARK.search(text)), "")
    if reading.passwords and said <= _FEW_WORDS and links <= _MANY_LINKS and (name or sentence):
        return Condition("login_wall", f"a password form, and: {name or sentence}")
    if reading.passwords and said <= _HARDLY_ANY and links <= _FEW_LINKS:
        return Condition("login_wall", "a password form, and hardly any text")
    if sentence and said <= _FEW_WORDS / 2 and links <= _MANY_LINKS:
        return Condition("login_wall", f"text: {sentence}")
    if name and said <= _HARDLY_ANY and links <= _FEW_LINKS:
        return Condition("login_wall", f"title: {name}")
    return None


def _needs_script(reading: Reading, title: str, said: int) -> Condition | None:
    """A page with hardly any text or links that needs a script: it asks for one, has an empty mount, or only scripts; or it is empty."""
    links = len(reading.anchors)
    if said > _HARDLY_ANY or links > _FEW_LINKS or len(reading.text) > 2 * _HARDLY_ANY:
        return None
    asked = NEEDS_SCRIPT.search(normalise(f"{reading.text[:1000]}\n{reading.noscript}"))
    if asked and (reading.scripts or not links):
        return Condition("needs_script", f"text: {asked[0]}")
    if reading.scripts and (mount := _empty_mount(reading)):
        return Condition("needs_script", f"nothing in: {mount}")
    if reading.text.strip() or links:
        return None
    if reading.scripts:
        return Condition("needs_script", "scripts, and nothing else")
    return None if title or reading.meta else Condition("empty", "neither text, links nor scripts")


def _empty_mount(reading: Reading) -> str:
    """The name of an element that scripts fill and that contains no text; "" when there is none."""
    filled = {block.container for block in reading.blocks}
    mount = ""
    for at in range(len(reading.containers) - 1, -1, -1):  # backwards: children before parents
        container = reading.containers[at]
        names = container.names.lower().split()
        if at in filled:
            filled.add(container.parent)
        elif container.tag in MOUNT_TAGS or not MOUNTS.isdisjoint(names):
            mount = next((name for name in names if name in MOUNTS), container.tag)
    return mount
