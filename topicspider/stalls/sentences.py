"""Says in one sentence, in Chinese or English, why a crawl is slow or stands still."""

from __future__ import annotations

from topicspider.errors import one_line
from topicspider.stalls.causes import Cause

_ZH = {
    "busy_process": "本进程忙了 {seconds:.0f} 秒，其间什么也没能处理",
    "busy_process_at": "本进程忙了 {seconds:.0f} 秒，其间什么也没能处理；停在 {place}",
    "frontier_away": "网址队列（{frontier}）无法使用：{why}",
    "slow_frontier": "网址队列（{frontier}）响应慢：一次调用已用 {seconds:.0f} 秒",
    "store_away": "网页存储无法写入，{rows:,} 行在等待：{why}",
    "slow_store": "网页存储写得慢：{rows:,} 行在等待，写完一些才继续下载",
    "slow_log": "抓取日志写得慢：磁盘跟不上，写完一些才继续下载",
    "ending": "抓取正在结束，等待 {in_work} 个页面处理完",
    "ending_of": "抓取正在结束，等待 {in_work} 个页面，最久的是 {host}，已 {seconds:.0f} 秒",
    "last_downloads": "已达到页数上限，等待最后 {in_work} 个页面",
    "last_downloads_of": "已达到页数上限，等待最后 {in_work} 个页面，最久的是 {host}，已 {seconds:.0f} 秒",
    "dns": "域名无法解析：最近 {of} 次下载中有 {count} 次因 DNS 失败（{names}），请检查 DNS 和网络",
    "network": "网络可能不通：{hosts} 个主机都连不上，最近 {of} 次下载中有 {count} 次失败（{outcome}）",
    "network_through": "网络或代理 {proxy} 可能不通：{hosts} 个主机都连不上，最近 {of} 次下载中有 {count} 次失败（{outcome}）",
    "unreachable_host": "主机 {names} 连不上：最近 {of} 次下载中有 {count} 次失败（{outcome}）",
    "unreachable_host_through": "主机 {names} 连不上：通过代理 {proxy} 的最近 {of} 次下载中有 {count} 次失败（{outcome}）",
    "robots": "robots.txt 禁止抓取 {hosts} 个主机上的链接：{names}",
    "robots_unreachable": "{hosts} 个主机的 robots.txt 取不到，其间不访问它们：{names}",
    "failing": "最近 {of} 次下载中有 {count} 次的结果是 {outcome}（{names}）",
    "hanging": "{count} 个下载已超过 {limit:.0f} 秒没有完成，最久的是 {host}，已 {seconds:.0f} 秒",
    "in_work": "{count} 个已下载的页面 {seconds:.0f} 秒还没处理完（文档、浏览器或数据管道）",
    "host_limit": "排队的 {queued:,} 个链接所在的主机都已抓满 pages_per_host",
    "blocked_hosts": "排队的 {queued:,} 个链接所在的主机都被手动屏蔽了（frontier 命令）",
    "leased": "有链接的主机都由其他节点在抓取，最迟等到 {until}",
    "frontier_restarted": "网址队列（{frontier}）重启过，可能丢了最后几秒；为免重复访问主机，等到 {until}",
    "resting": "有链接的主机都在休息，到 {until} 为止",
    "resting_hosts": "有链接的主机都在休息，到 {until} 为止：{hosts} 个在休息{counted}，最久的是 {host}，到 {longest}{because}",
    "one_host": "排队的 {queued:,} 个链接都在同一个主机 {host} 上：按礼貌规则每小时约抓 {an_hour:,.0f} 页，下一页在 {until}{because}",
    "empty": "队列空了，等待最后 {in_work} 个页面",
    "empty_pruned": "队列空了，等待最后 {in_work} 个页面：最近 {links:,} 个链接中 {share:.0%} 被剪枝，多因 {reason}",
    "empty_waiting": "队列空了，等待新的起始网址",
    "empty_waiting_pruned": "队列空了，等待新的起始网址：最近 {links:,} 个链接中 {share:.0%} 被剪枝，多因 {reason}",
    "pruned": "只剩 {queued} 个链接：最近 {links:,} 个链接中 {share:.0%} 被剪枝，多因 {reason}",
    "unknown": "{seconds:.0f} 秒没有新页面，原因不明（排队 {queued:,}，处理中 {in_work}，队列状态 {reason}）",
}
_EN = {
    "busy_process": "this process was busy for {seconds:.0f} s and could do nothing else",
    "busy_process_at": "this process was busy for {seconds:.0f} s and could do nothing else; it is at {place}",
    "frontier_away": "the frontier ({frontier}) is away: {why}",
    "slow_frontier": "the frontier ({frontier}) is slow: a call has taken {seconds:.0f} s so far",
    "store_away": "the store cannot be written, {rows:,} rows wait: {why}",
    "slow_store": "the store is slow: {rows:,} rows wait, and no page is fetched until some are written",
    "slow_log": "the crawl's log is slow: the disk does not keep up, and no page is fetched until it does",
    "ending": "the crawl is ending and waits for {in_work} page(s)",
    "ending_of": "the crawl is ending and waits for {in_work} page(s), longest for {host}: {seconds:.0f} s",
    "last_downloads": "the page limit is reached: it waits for the last {in_work} page(s)",
    "last_downloads_of": "the page limit is reached: it waits for the last {in_work} page(s), longest for {host}: {seconds:.0f} s",
    "dns": "names cannot be resolved: {count} of the last {of} downloads failed in DNS ({names}); check DNS and the network",
    "network": "the network may be down: none of {hosts} hosts can be reached, {count} of the last {of} downloads failed ({outcome})",
    "network_through": "the network or the proxy {proxy} may be down: none of {hosts} hosts can be reached, {count} of the last {of} downloads failed ({outcome})",
    "unreachable_host": "{names} cannot be reached: {count} of the last {of} downloads failed ({outcome})",
    "unreachable_host_through": "{names} cannot be reached through the proxy {proxy}: {count} of the last {of} downloads failed ({outcome})",
    "robots": "robots.txt forbids what is queued on {hosts} host(s): {names}",
    "robots_unreachable": "robots.txt of {hosts} host(s) cannot be had, and nothing is asked of them meanwhile: {names}",
    "failing": "{count} of the last {of} downloads ended as {outcome} ({names})",
    "hanging": "{count} download(s) have taken more than {limit:.0f} s, longest on {host}: {seconds:.0f} s",
    "in_work": "{count} page(s) were fetched and have not been dealt with for {seconds:.0f} s (documents, browser or pipelines)",
    "host_limit": "all {queued:,} link(s) in the queue are on hosts that gave all they may (pages_per_host)",
    "blocked_hosts": "all {queued:,} link(s) in the queue are on hosts that were blocked by hand (command frontier)",
    "leased": "all hosts with links are being fetched by other nodes, until {until} at the latest",
    "frontier_restarted": "the frontier ({frontier}) was restarted and may have lost its last seconds; so that no host is asked twice, it waits until {until}",
    "resting": "all hosts with links rest until {until}",
    "resting_hosts": "all hosts with links rest until {until}: {hosts} rest{counted}, {host} longest, until {longest}{because}",
    "one_host": "all {queued:,} link(s) in the queue are on one host, {host}: politeness allows about {an_hour:,.0f} pages an hour, the next at {until}{because}",
    "empty": "the queue is empty: it waits for the last {in_work} page(s)",
    "empty_pruned": "the queue is empty: it waits for the last {in_work} page(s); {share:.0%} of the last {links:,} links were pruned, most for {reason}",
    "empty_waiting": "the queue is empty: it waits for more seeds",
    "empty_waiting_pruned": "the queue is empty: it waits for more seeds; {share:.0%} of the last {links:,} links were pruned, most for {reason}",
    "pruned": "only {queued} link(s) are left: {share:.0%} of the last {links:,} links were pruned, most for {reason}",
    "unknown": "no page for {seconds:.0f} s, and the cause is not known (queued {queued:,}, in work {in_work}, the frontier says {reason})",
}
_BECAUSE_ZH = {"crawl_delay": "（Crawl-delay）", "backoff": "（失败或被拒后退避）", "": ""}
_BECAUSE_EN = {"crawl_delay": " (Crawl-delay)", "backoff": " (back-off after failures or refusals)", "": ""}


def sentence(cause: Cause, *, chinese: bool) -> str:
    """One line without control characters, and without a full stop."""
    facts = dict(cause.facts)
    if "why" in facts:
        facts["because"] = (_BECAUSE_ZH if chinese else _BECAUSE_EN).get(str(facts["why"]), "")
        facts["counted"] = _counted(facts, chinese)
    text = (_ZH if chinese else _EN)[cause.form or cause.kind].format(**facts)
    return one_line(text, 400)


def over_sentence(cause: Cause, seconds: float, *, chinese: bool) -> str:
    """The crawl goes on; ``cause`` was the last, and it took ``seconds`` in all."""
    return _OVER[chinese].format(seconds=seconds, what=(_SHORT_ZH if chinese else _SHORT_EN)[cause.kind])


_OVER = {
    True: "抓取恢复正常，共 {seconds:.0f} 秒（{what}）",
    False: "the crawl goes on as usual after {seconds:.0f} s ({what})",
}
_SHORT_ZH = {
    "busy_process": "本进程太忙", "frontier_away": "网址队列无法使用", "slow_frontier": "网址队列响应慢", "store_away": "网页存储无法写入",
    "slow_store": "网页存储写得慢", "slow_log": "抓取日志写得慢", "ending": "正在结束", "last_downloads": "等待最后的页面", "dns": "域名无法解析",
    "network": "网络不通", "unreachable_host": "主机连不上", "robots": "robots.txt 禁止", "robots_unreachable": "robots.txt 取不到", "failing": "下载失败",
    "hanging": "下载没有完成", "in_work": "页面处理慢", "host_limit": "主机已抓满", "blocked_hosts": "主机被屏蔽", "leased": "主机由其他节点抓取",
    "frontier_restarted": "网址队列重启过", "resting": "主机在休息", "one_host": "只有一个主机", "empty": "队列空了", "pruned": "链接多被剪枝", "unknown": "原因不明",
}  # fmt: skip
_SHORT_EN = {
    "busy_process": "this process was busy", "frontier_away": "the frontier was away", "slow_frontier": "the frontier was slow",
    "store_away": "the store could not be written", "slow_store": "the store was slow", "slow_log": "the log was slow", "ending": "it was ending",
    "last_downloads": "the last pages", "dns": "DNS failed", "network": "no host could be reached", "unreachable_host": "a host could not be reached",
    "robots": "robots.txt forbade", "robots_unreachable": "no robots.txt could be had", "failing": "downloads failed", "hanging": "downloads hung",
    "in_work": "pages were not dealt with", "host_limit": "hosts gave all they may", "blocked_hosts": "hosts were blocked", "leased": "other nodes had the hosts",
    "frontier_restarted": "the frontier was restarted", "resting": "all hosts rested", "one_host": "one host had all links", "empty": "the queue was empty",
    "pruned": "most links were pruned", "unknown": "the cause was not known",
}  # fmt: skip


def _counted(facts: dict[str, object], chinese: bool) -> str:
    """How many rest for a reason of their own; "" where the longest one's reason says it all."""
    by_delay, by_backoff, hosts = (facts.get(name, 0) for name in ("by_crawl_delay", "by_backoff", "hosts"))
    if hosts == 1:
        return ""
    parts = [f"{by_delay} Crawl-delay"] if by_delay else []
    parts += [f"{by_backoff} 退避" if chinese else f"{by_backoff} by back-off"] if by_backoff else []
    if not parts:
        return ""
    return f"（其中 {'、'.join(parts)}）" if chinese else f" ({', '.join(parts)})"
