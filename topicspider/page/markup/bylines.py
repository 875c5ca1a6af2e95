"""Recognises the line above a text that says when, where from and by whom it is."""

from __future__ import annotations

import re

_LONGEST = 100
_BYLINE = re.compile(
    r"^(?:\W*(?:发布|发表|更新|發布|發表)?(?:时间|日期|于|時間)?[:：\s]*)?(?:19|20)\d\d\s*[-/.年]\s*\d{1,2}\s*[-/.月]\s*\d{1,2}\s*日?[\s\d:：点分秒时]*(?:$|.{0,60}(?:来源|來源|作者|编辑|人参与|评论|字号|浏览|点击|阅读))"
    r"|^(?:来源|來源|作者|文章来源|稿源|字号|字體|字体|核心提示)\s*[:：]?\s*\S{0,20}$|^(?:大|中|小|\s|\|)+$"
)
_LATIN = re.compile(
    r"\W*(?:by|von|par|por|published|posted|updated|last updated|publié|mis à jour|publicado|atualizado|aktualisiert|veröffentlicht|опубликовано)\b"
    r"[^!?]{0,60}\b(?:19|20)\d\d\b[^.!?]{0,30}",
    re.IGNORECASE,
)


def is_byline(line: str) -> bool:
    """Whether a line says when, where from and by whom a text is, and nothing else."""
    return len(line) < _LONGEST and (_BYLINE.search(line) is not None or _LATIN.fullmatch(line) is not None)
