"""Answers of status 200 that are no pages are known as such, in several languages; articles about them are not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.page.made import PARAGRAPHS, article
from topicspider.page.error_pages import CONDITIONS
from topicspider.page.page import Page

MENU = "".join(f"<a href='/m{number}.html'>栏目{number}</a> " for number in range(30))
FOOTER = "<div class='footer'>版权所有 © 2021 山水网</div>"


def page_of(title="", body="", head=""):
    text = f"<!DOCTYPE html><html><head><title>{title}</title>{head}</head><body>{body}</body></html>"
    return Page("http://www.example.cn/a/1.html", text.encode(), "text/html; charset=utf-8")


NONE = {
    "soft_not_found": [
        ("404", "<p>出错了</p>"),
        ("404 Not Found", "<h1>Not Found</h1>"),
        ("页面不存在 - 山水网", f"{MENU}<p>您可以返回首页。</p>{FOOTER}"),
        ("山水网", f"<h2>抱歉，您访问的页面不存在或已被删除</h2>{FOOTER}"),
        ("提示信息 - 山水论坛", f"{MENU}<p>抱歉，指定的主题不存在或已被删除或正在被审核</p>"),
        ("山水網", "<p>對不起，您要查看的文章已被刪除。</p>"),
        ("提示", "<p>该帖已被作者删除</p><a href='/'>返回首页</a>"),
        ("旅行文章 - 山水网", f"{MENU}<p>您要找的文章飞走了，去看看别的吧</p><ul><li>云台山</li></ul>"),
        ("Oops! - Example", "<h1>Sorry, the page you are looking for could not be found.</h1><a href='/'>Home</a>"),
        ("Example", "<p>We can't find the page you requested.</p>"),
        ("サイト", "<p>お探しのページは見つかりませんでした。</p>"),
        ("Ejemplo", "<h1>Página no encontrada</h1>"),
        ("Beispiel", "<p>Die Seite wurde leider nicht gefunden.</p>"),
        ("Exemple", "<h1>Page introuvable</h1>"),
        ("Пример", "<p>Страница не найдена</p>"),
    ],
    "captcha": [
        ("安全验证", "<p>请完成下方验证后继续操作</p><div id='captcha'></div><script>go()</script>"),
        ("山水网", "<p>为了您的账号安全，请拖动滑块完成拼图</p>"),
        ("訪問驗證", "<p>請輸入驗證碼以繼續訪問</p><form><input name='code'></form>"),
        ("Just a moment...", "<noscript>Enable JavaScript and cookies to continue</noscript><p>Checking your browser</p>"),
        ("Security check", "<p>Please verify you are a human</p><div class='h-captcha'></div>"),
        ("Example", "<p>Our systems have detected unusual traffic from your computer network.</p>"),
    ],
    "blocked": [
        ("403 Forbidden", "<h1>403 Forbidden</h1><hr>nginx"),
        ("山水网", "<p>您的访问过于频繁，请稍后再试</p>"),
        ("网站防火墙", "<p>您的请求带有不合法参数，已被网站管理员设置拦截！</p>"),
        ("Attention Required!", "<h1>Sorry, you have been blocked</h1>"),
        ("Access Denied", "<p>You don't have permission to access this resource.</p>"),
    ],
    "login_wall": [
        ("用户登录 - 山水论坛", "<form>账号 <input name=u> 密码 <input type=password> <button>登录</button></form>"),
        ("山水论坛", "<p>您需要登录后才可以查看此内容</p><a href='/login'>登录</a>"),
        ("山水論壇", "<p>請登錄後查看</p><form><input type=password></form>"),
        ("Sign in - Example", "<form>Email <input> Password <input type='password'></form><a href='/new'>Join</a>"),
        ("Example forum", "<p>You must be logged in to view this page.</p>"),
        ("云台山", "<p>清晨出发……</p><p>剩余内容，开通会员后继续阅读</p><form><input type=password></form>"),
        ("Identificarse", "<form>Nombre <input> Contraseña <input type=password></form>"),
        ("A day out", "<p>The bus leaves at six.</p><p>Subscribe to continue reading.</p><a href='/pay'>Plans</a>"),
    ],
    "needs_script": [
        ("山水网", "<div id='app'></div><script src='/app.js'></script>"),
        ("", "<div id='root'></div><script>render()</script>"),
        ("Example", "<noscript>You need to enable JavaScript to run this app.</noscript><script src=a.js></script>"),
        ("山水网", "<noscript>请开启JavaScript后继续访问</noscript><main></main><script src=a.js></script>"),
        ("山水网", "<p>您的浏览器禁用了 JavaScript，请启用后刷新</p>"),
        ("", "<script>location.href='/home.html'</script>"),
        ("example.com", "<p>Please enable JS and disable any ad blocker</p><script>go()</script>"),
    ],
    "parked": [
        ("example.cn", "<h1>该域名正在出售</h1>"),
        ("Welcome to nginx!", "<h1>Welcome to nginx!</h1><p>If you see this page, the web server is working.</p>"),
        ("没有找到站点", "<h1>没有找到站点</h1>"),
        ("example.com", "<p>The domain example.com is for sale.</p><a href='/buy'>Buy this domain</a>"),
    ],
    "soft_error": [
        ("502 Bad Gateway", "<h1>502 Bad Gateway</h1>"),
        ("数据库错误", "<p>数据库连接失败，请稍后再试</p>"),
        ("Error", "<h1>Error establishing a database connection</h1>"),
        ("山水网", "<p>网站正在维护中，请稍后访问。</p>"),
    ],
    "empty": [("", ""), ("", "<div> </div>")],
}  # fmt: skip
CASES = [(name, title, body) for name, cases in NONE.items() for title, body in cases]


@pytest.mark.parametrize(("name", "title", "body"), CASES)
def test_what_is_no_page_is_known_with_its_evidence(name, title, body):
    page = page_of(title, body)
    assert page.condition == name, page.condition_why
    assert page.condition_why


def test_every_condition_has_a_case():
    assert set(NONE) == set(CONDITIONS)


SHORT = "<p>清晨出发，沿着石板路慢慢走。</p>"
LIST = "".join(f"<li><a href='/{number}.html'>旅游日记第{number}篇</a></li>" for number in range(60))
PAGES = {
    "an article": article(),
    "an article about 404 pages": article(title="404页面不存在怎么办"),
    "an article about captchas": article(title="请输入验证码：安全验证的历史"),
    "an article about logging in": article(title="用户登录", before="<p>请登录后查看的内容越来越多。</p>"),
    "an article behind whose end readers log in": article(
        after="<div class='comment'><p>请登录后发表评论</p><form><input type=password></form></div>"
    ),
    "an article with a word for browsers without scripts": article(
        after="<noscript>Please enable JavaScript to view the comments.</noscript><script src=c.js></script>"
    ),
    "a short page": f"<title>日记</title><h1>第一天</h1>{SHORT}",
    "a short page with scripts": f"<title>日记</title><script src=a.js></script><div id=app>{SHORT}</div>",
    "a list": f"<title>旅游日记</title><ul>{LIST}</ul>",
    "a list with a login box": f"<title>旅游日记</title><form>密码<input type=password>登录</form><ul>{LIST}</ul>",
    "a list that names a dead post": f"<title>旅游日记</title><ul>{LIST}<li>该帖已被删除</li></ul>",
    "a song called Not Found": f"<title>Not Found- 乐队之夜</title>{''.join(f'<p>{p}</p>' for p in PARAGRAPHS * 3)}",
    "a frameset": "<title>首页</title><frameset><frame src='/menu.html'><frame src='/main.html'></frameset>",
    "a picture with a title": "<title>黄山日出</title><img src='/1.jpg' alt='日出'>",
    "a home page with little text": f"<title>山水网</title>{MENU}",
}


@pytest.mark.parametrize("name", PAGES)
def test_pages_are_pages(name):
    page = Page("http://www.example.cn/1.html", PAGES[name].encode(), "text/html; charset=utf-8")
    assert (page.condition, page.condition_why) == ("", "")


def test_what_is_no_markup_is_left_alone():
    assert Page("http://www.example.cn/1.pdf", b"%PDF-1.4 404", "application/pdf").condition == ""


WORDS = st.sampled_from(["404", "页面", "不存在", "请", "登录", "验证", "the page ", "was not ", "found", "javascript", " ", "<p>"])  # fmt: skip


@given(st.lists(WORDS, max_size=400).map("".join), st.lists(WORDS, max_size=40).map("".join))
def test_any_page_has_one_bounded_condition(body, title):
    """Promise P1."""
    page = page_of(title, body)
    assert page.condition in ("", *CONDITIONS)
    assert bool(page.condition) == bool(page.condition_why)
    assert len(page.condition_why) < 300


def test_what_an_article_quotes_is_not_said_of_its_page():
    text = "很多网站只写一句“页面不存在”，用户看了就走。好的页面应该给出搜索框和热门内容。"
    page = Page("http://www.example.cn/a.html", f"<h1>网站应当友好</h1><p>{text}</p>".encode(), "text/html")
    assert page.condition == ""
