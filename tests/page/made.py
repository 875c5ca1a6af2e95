"""Pages of our own writing that several tests of reading use."""

from __future__ import annotations

PARAGRAPHS = (
    "云台山位于河南省焦作市，是一处以山水景观闻名的旅游胜地，每年春天都有许多游客前来登山赏花。",
    "景区全年开放，门票每人一百二十元，老人和儿童凭有效证件可以免票，停车场就在南门外。",
    "最好的季节是四月和十月，那时天气凉爽，山间的瀑布水量充足，适合全家出游。",
)


def article(head: str = "", before: str = "", after: str = "", title: str = "云台山春季旅游指南") -> str:
    """A Chinese article with a menu, a related list and a footer."""
    text = "".join(f"<p>{paragraph}</p>" for paragraph in PARAGRAPHS)
    return (
        f"<!DOCTYPE html><html><head><title>{title}_旅游频道_山水网</title>{head}</head><body>"
        "<div class='nav'><a href='/'>首页</a> <a href='/lvyou/'>旅游</a> <a href='/caijing/'>财经</a></div>"
        f"<div class='main'><h1>{title}</h1>{before}<div class='content'>{text}</div>{after}</div>"
        "<div class='related'><h3>相关新闻</h3><ul><li><a href='/a1.html'>太行山徒步路线</a></li>"
        "<li><a href='/a2.html'>黄河风景区开园</a></li></ul></div>"
        "<div class='footer'>版权所有 山水网，未经许可不得转载，违者必究。</div></body></html>"
    )
