"""Finds the lines of a page's text that say when it was published or modified, and weighs them."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

from topicspider.page.origin.day_forms import days_in, plain_digits, terse_days_in, written_day
from topicspider.page.origin.relative_days import MARKS, relative_day

if TYPE_CHECKING:
    from collections.abc import Iterator

    from topicspider.page.markup.reading import Block, Reading
    from topicspider.page.origin.day_forms import Found, Habits

_LONGEST = 400
_FIRST, _LAST = 50, 15
"""Lines with days that are weighed: a table of a thousand days is none of publication."""
_A_PARAGRAPH, _PARAGRAPHS = 160, 8
_SCANNED = 100_000
_BEFORE = 26
"""Characters before a day in which its label stands."""

# Each begins with a set of characters, which the engine looks for much faster than for alternatives
_DIGITS = re.compile(r"[0-9０-９٠-٩۰-۹](?:\d{3}|\d[-./年]\d\d?[-./月]\d|\d?\s?月\s?\d|\d[-/]\d\d(?!\d)|\d?\s?[年년])")
_NUMERALS = re.compile(
    r"[一二贰貳壹](?=[0-9〇零○ＯO一二三四五六七八九壹贰貳叁參肆伍陆陸柒捌玖]{3}\s?年)|[民令平昭](?=[国國和成])"
)
_PUBLISHED = (
    r"发[布表]|發[布表佈]|发[文稿]|发贴|发帖|發[文帖]|刊[发登]|上[传線线]|[发發]行|出版|编辑时间|編輯時間|签发|成文|印发|撰[写寫]|写于|寫於|作成|公開|掲載|投稿|配信|입력|등록|작성"
    r"|publish\w*|posted|released?|issued|erschienen|veröffentlicht|publi[ée]e?|mis en ligne|publicad[oa]|pubblicat[oa]|опубликован[оа]?|дата публикации"
    r"|opublikowano|data publikacji|dodano|yayın\w*|δημοσι\w*|publicatie\w*|gepubliceerd|publicer\w*|julkaistu|created|erstellt|stand|written on"
)
_UPDATED = (
    r"更新|修改|修[订訂]|[编編][辑輯][于於]|最[后後]|改訂|수정|(?:last |zuletzt )?(?:update[ds]?|modified|edited|revised|reviewed|geändert|aktualisiert\w*)|letzte [äÄ]nderung|mis(?:e)? à jour"
    r"|modifi[ée]\w*|actualizad[oa]\w*|aggiornat[oa]\w*|atualizad[oa]\w*|обновлен[оа]?|aktualizacja|güncelle\w*|ενημερ\w*|bijgewerkt|uppdaterad\w*"
)
_GENERAL = r"时间|時間|日期|来源|來源|出处|出處|作者|编辑|編輯|责编|記者|记者|日付|日時|date|datum|fecha|data|дата|ημερομηνία|tarih|vom|on|by|par|von|por|от"
_EVENT = (
    r"截止|截至|报名|報名|活动|活動|会议|會議|考试|考試|开[始幕业馆园]|開[始幕業]|开放|出生|生[于於]|逝世|有效|创刊|創刊|成立|创建|創建|注册|註冊|加入|到期|生效|施行|[实實]施|结束|結束|上映|入住|退房|访问|訪問"
    r"|电话|電話|手机|传真|编号|編號|版本|version|号码|證號|证号|邮编|QQ|tel|phone|fax|保质|生产|建站|自|从|從|至|到|born|since|until|deadline|joined|member|registered|retrieved|accessed|abgerufen|termin|valid|expires|events?|geboren|gestorben|consult\w*"
)


def _label(words: str, end: str) -> re.Pattern[str]:
    return re.compile(rf"(?:(?<![^\W\d_])|(?<=[\u3041-\u9fff\uac00-\ud7a3]))(?:{words}){end}", re.IGNORECASE)


_TAIL = r"(?:[于於在]|时间|時間|日期|日時|日|date|on|am|le|el|il|em|:|\W)*$"
_BEFORE_PUBLISHED, _BEFORE_UPDATED = _label(_PUBLISHED, _TAIL), _label(_UPDATED, _TAIL)
_BEFORE_GENERAL = _label(_GENERAL, r"[^\n\d]{0,16}$")
_BEFORE_LABEL = _label(rf"{_PUBLISHED}|{_UPDATED}|{_GENERAL}", _TAIL)
_BEFORE_EVENT = _label(_EVENT, r"(?:时间|時間|日期|[于於]|date|on|am|\W)*$")
_NO_LABEL = r"(?!\s?(?:时间|時間|日期|日時|[于於]|on\b|:))"
_AFTER_PUBLISHED = re.compile(
    rf"[\s\d:，,)）]{{0,12}}(?:发[布表稿]|發[布表]|刊[发登]|posted|published){_NO_LABEL}", re.IGNORECASE
)
_AFTER_UPDATED = re.compile(rf"[\s\d:，,)）]{{0,12}}(?:更新|修改|[编編][辑輯]|updated){_NO_LABEL}", re.IGNORECASE)
_AFTER_EVENT = re.compile(r"\s?(?:起|止|前|至|到|-{1,2}|～|~|—|以[前后来])")
_DATELINE = re.compile(r"(?:社|报|報|网|網|[讯訊]|消息)\W{0,2}[\u4e00-\u9fff]{0,12}$")
_WIRED = re.compile(r"\s?(?:电|電|讯|訊|消息)")
_CLOCK = re.compile(r"[\s,，T|(-]{0,4}(?:上午|下午|um|à|at|klo|kl\.)?\s?[0-2]?\d[:.h时時][0-5]\d")
_RIGHTS = re.compile(
    r"©|copyright|\(c\) ?(?:19|20)|版权所有|版權所有|备案|備案|ICP|许可证|許可證|all rights|反诈|举报", re.IGNORECASE
)
_SEPARATOR = re.compile(r"\s[|·•–—/-]\s|[|｜·•]|\s{2,}")
_SENTENCE = re.compile(r"[。！？；，]|[a-zà-ÿа-я]{2}[.!?](?:\s|$)|,\s[a-zà-ÿа-я]")
_TIME_NAMES = re.compile(
    r"time|date|publi|posted|byline|meta|info|source|submitted|author|laiyuan|shijian|riqi", re.IGNORECASE
)
_PARTS = re.compile(
    r"[\s]{2,}|[|｜·•/,，()（）\[\]【】]|(?<=[\u4e00-\u9fff]) (?=[\u4e00-\u9fff])|\s(?=来源|來源|作者|编辑|阅读|浏览|评论|责任)"
)
_RELATIVE_TAIL = re.compile(r"\s?(?:发布|发表|更新|發布|發表|published|posted)$", re.IGNORECASE)
_RELATIVE_LABEL = re.compile(
    rf"^.{{0,12}}?(?:{_PUBLISHED}|{_UPDATED}|时间|時間|日期)[^\w]*(?:于|於|时间|時間|日期)?[：:\s]*", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class DatedLine:
    """A day in the text and how much speaks for it: ``weight`` for publication, ``is_update`` when its label says modified."""

    day: str
    weight: float
    is_update: bool
    start: int


def dated_lines(reading: Reading, zones: list[str], title: str, habits: Habits) -> list[DatedLine]:
    """Every day of the text that may be the page's own, in the text's order; bounded."""
    place = title_span(reading, title)
    marked = sorted(mark.start for mark in reading.times)
    found: list[DatedLine] = []
    for block in _candidate_blocks(reading, place, habits):
        found.extend(_weighed(reading, block, zones, place, marked, habits))
    return found


def title_span(reading: Reading, title: str) -> tuple[int, int]:
    """Where the title stands in the text: its heading, else its first place; the start of the text when nowhere."""
    for index in reading.headings[:10]:
        block = reading.blocks[index]
        if title and title[:20] in reading.text[block.start : block.end]:
            return block.start, block.end
    at = reading.text.find(title) if title else -1
    if at >= 0:
        return at, at + len(title)
    first = reading.blocks[reading.headings[0]] if reading.headings else None
    return (first.start, first.end) if first else (0, 0)


def _candidate_blocks(reading: Reading, place: tuple[int, int], habits: Habits) -> list[Block]:
    starts = [block.start for block in reading.blocks]
    if not starts:
        return []
    found = {index for pattern in (_DIGITS, _NUMERALS) for index in _indexes(pattern, reading, starts)}
    chosen = _bounded(reading, sorted(found))
    if habits.today:
        low, high = bisect_right(starts, place[0] - 200), bisect_right(starts, place[1] + 1000)
        chosen = sorted({*chosen, *range(low, min(high, low + _FIRST))})
    return [reading.blocks[index] for index in chosen]


def _bounded(reading: Reading, indexes: list[int]) -> list[int]:
    """The first and last of the short lines, and the first long ones: a paragraph tells of many days, seldom of its own."""
    short: list[int] = []
    long: list[int] = []
    for index in indexes:
        block = reading.blocks[index]
        (long if block.end - block.start > _A_PARAGRAPH else short).append(index)
    short = short if len(short) <= _FIRST + _LAST else short[:_FIRST] + short[-_LAST:]
    return sorted(short + long[:_PARAGRAPHS])


def _indexes(pattern: re.Pattern[str], reading: Reading, starts: list[int]) -> Iterator[int]:
    """The blocks in which the pattern is found, within the bounds of what is scanned."""
    at, size = 0, len(reading.text)
    while found := pattern.search(reading.text, at, _SCANNED):
        index = max(0, bisect_right(starts, found.start()) - 1)
        yield index
        at = max(found.end(), min(size, reading.blocks[index].end))


def _weighed(
    reading: Reading, block: Block, zones: list[str], place: tuple[int, int], marked: list[int], habits: Habits
) -> Iterator[DatedLine]:
    if _is_headline(reading, block):
        return
    line = plain_digits(reading.text[block.start : block.end][:_LONGEST])
    if _RIGHTS.search(line) and not re.search(_PUBLISHED, line):
        return
    setting = _of_setting(reading, block, zones, place, marked)
    before = plain_digits(reading.text[max(0, block.start - _BEFORE) : block.start])
    is_marked = _is_marked(block, marked)
    any_found = False
    for found in days_in(line, habits):
        any_found = True
        yield _dated(line, before, found, block, setting)
    if not any_found:
        for found in terse_days_in(line, habits):
            any_found = True
            if is_marked or _BEFORE_LABEL.search(f"{before}{line[: found.start]}"[-_BEFORE:]):
                yield _dated(line, before, found, block, setting)
    if not any_found and habits.today and len(line) <= 120:
        lowered = line.lower()
        if any(mark in lowered for mark in MARKS):
            yield from _relative(line, before, block, setting, habits)


def _of_setting(reading: Reading, block: Block, zones: list[str], place: tuple[int, int], marked: list[int]) -> float:
    """What the place of a line says: near the title, in which part of the page, under which names, how linked."""
    weight = _nearness(block, place)
    zone = zones[block.container] if block.container >= 0 else "main"
    if zone == "comment":
        weight -= 4
    elif zone in ("aside", "footer", "nav") and (block.links or not -200 < block.start - place[1] < 400):
        weight -= 3
    at = bisect_right(marked, block.end)
    if (at and marked[at - 1] >= block.start - 1) or (
        block.container >= 0 and _TIME_NAMES.search(reading.containers[block.container].names)
    ):
        weight += 2
    return weight


def _is_marked(block: Block, marked: list[int]) -> bool:
    """Whether an element of time stands in the line."""
    at = bisect_right(marked, block.end)
    return bool(at) and marked[at - 1] >= block.start - 1


def _is_headline(reading: Reading, block: Block) -> bool:
    """Whether the line is the link to another page with its day; authors and sources are linked, too, but shorter."""
    shortest = 25 if reading.text[block.start : block.end].isascii() else 8
    return block.linked >= shortest and 2 * block.linked >= block.end - block.start - len("2024-05-01 ")


def _nearness(block: Block, place: tuple[int, int]) -> float:
    start, end = place
    after = block.start - end
    if after < 0:
        return 2.0 if start - block.end <= 200 else 0.0
    return 4.0 if after <= 300 else 2.0 if after <= 1000 else 0.0


def _dated(line: str, before: str, found: Found, block: Block, setting: float) -> DatedLine:
    label, is_update = _of_label(before + line[: found.start], line[found.end :])
    rest = _SEPARATOR.split(line[: found.start])[-1] + _SEPARATOR.split(line[found.end :], maxsplit=1)[0]
    weight = setting + label
    if _CLOCK.match(line, found.end):
        weight += 2
    if len(rest) <= 20 and not _SENTENCE.search(rest):
        weight += 2
    elif len(rest) <= 90 and not _SENTENCE.search(rest):
        weight += 1
    elif label < _STRONG_LABEL:
        weight -= 5
    if not found.is_whole:
        weight -= 1
    return DatedLine(found.day, weight, is_update, block.start + found.start)


_STRONG_LABEL = 5.0


def _of_label(head: str, tail: str) -> tuple[float, bool]:
    """(weight, whether it is an update) of the words just before and after a day."""
    near = head[-_BEFORE:].replace("\n", " ")
    if _BEFORE_EVENT.search(near) and not _BEFORE_PUBLISHED.search(near):
        return -8.0, False
    if _BEFORE_UPDATED.search(near) or _AFTER_UPDATED.match(tail):
        return 5.0, True
    if _BEFORE_PUBLISHED.search(near) or _AFTER_PUBLISHED.match(tail):
        return 7.0, False
    if _WIRED.match(tail) and _DATELINE.search(near):
        return 5.0, False
    if _AFTER_EVENT.match(tail):
        return -4.0, False
    return (2.0, False) if _BEFORE_GENERAL.search(near) else (0.0, False)


def _relative(line: str, before: str, block: Block, setting: float, habits: Habits) -> Iterator[DatedLine]:
    """Days such as 昨天 18:20: only where a part of the line is nothing else."""
    assert habits.today is not None
    for part in _PARTS.split(line)[:12]:
        text = _RELATIVE_TAIL.sub("", part.strip(" :-—\n"))
        text = _RELATIVE_LABEL.sub("", text)
        day = relative_day(text, habits.today) if text else None
        if day and written_day(day.year, day.month, day.day, habits):
            label, is_update = _of_label(before + line[: line.find(text)], line[line.find(text) + len(text) :])
            yield DatedLine(day.isoformat(), setting + label + 1, is_update, block.start)
            return
