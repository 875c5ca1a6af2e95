"""Every text of a report, in English and Chinese side by side, so that neither can be forgotten."""

from __future__ import annotations

from typing import NamedTuple


class Phrase(NamedTuple):
    """One text in both languages; ``{names}`` in braces are the same in both, and are filled in by whoever shows it."""

    en: str
    zh: str


def same(text: object) -> Phrase:
    """A name or number that reads the same in both languages."""
    return Phrase(str(text), str(text))


TEXTS: dict[str, Phrase] = {
    # head
    "title": Phrase("Rehearsal: {topic}", "演练：{topic}"),
    "kicker": Phrase("topicspider rehearsal", "topicspider 演练报告"),
    "not_evidence": Phrase("Self-judged, not evidence", "自评，不可作为证据"),
    "not_evidence_why": Phrase(
        "Nobody labelled these pages independently. {judge}, another page scorer of topicspider, judged them: the figures show how "
        "the policies differ, not how good they are.",
        "这些页面没有独立标注，由 topicspider 的另一个页面评分器 {judge} 评判：以下数字只说明各策略之间的差别，不说明好坏。",
    ),
    "web": Phrase("Web", "网站"),
    "judge": Phrase("Judged by", "评判"),
    "judge_truth": Phrase("the made web's own truth", "人造网站自知的真值"),
    "judge_labels": Phrase("labels in {name}", "标注文件 {name}"),
    "judge_self": Phrase("the scorer {name}", "评分器 {name}"),
    "length": Phrase("Each run", "每次抓取"),
    "pages_count": Phrase("{count} pages", "{count} 页"),
    "one_set": Phrase("one seed set", "1 组种子"),
    "sets": Phrase("{count} seed sets", "{count} 组种子"),
    "seeds_fact": Phrase("Repeats", "重复"),
    "targets_fact": Phrase("On topic", "相关页面"),
    "targets_unknown": Phrase("nobody knows how many", "总数未知"),
    "targets_count": Phrase("{count} to be found", "可找 {count} 页"),
    # the finding, in words
    "times": Phrase(
        "Within {pages} pages, {best} found {times} times as many pages on topic as {base}: {hits} against {base_hits}.",
        "抓取 {pages} 页时，{best}找到的相关页面是{base}的 {times} 倍：{hits} 对 {base_hits}。",
    ),
    "more": Phrase(
        "Within {pages} pages, {best} found {share}% more pages on topic than {base}: {hits} against {base_hits}.",
        "抓取 {pages} 页时，{best}找到的相关页面比{base}多 {share}%：{hits} 对 {base_hits}。",
    ),
    "none_other": Phrase(
        "Within {pages} pages, {best} found {hits} pages on topic, and {base} none.",
        "抓取 {pages} 页时，{best}找到 {hits} 个相关页面，{base}一个也没有。",
    ),
    "equal": Phrase(
        "Within {pages} pages, {best} and {base} found about as many pages on topic: {hits} and {base_hits}.",
        "抓取 {pages} 页时，{best}与{base}找到的相关页面相差无几：{hits} 与 {base_hits}。",
    ),
    "fewer": Phrase(
        "Within {pages} pages, {best} found fewer pages on topic than {base}: {hits} against {base_hits}.",
        "抓取 {pages} 页时，{best}找到的相关页面少于{base}：{hits} 对 {base_hits}。",
    ),
    "base_is_best": Phrase(
        "No policy did better than {base}: {hits} pages on topic within {pages} pages.",
        "没有策略胜过{base}：抓取 {pages} 页时找到 {hits} 个相关页面。",
    ),
    "alone": Phrase(
        "Within {pages} pages, {best} found {hits} pages on topic.", "抓取 {pages} 页时，{best}找到 {hits} 个相关页面。"
    ),
    "nothing": Phrase("No policy found a page on topic.", "没有策略找到相关页面。"),
    "by_the_end": Phrase(
        "By {pages} pages it was {hits} against {base_hits}.", "抓到 {pages} 页时为 {hits} 对 {base_hits}。"
    ),
    "of_oracle": Phrase(
        "Over the whole run it reached {share}% of what the oracle, which knows the answers, got from the same seeds.",
        "全程达到先知（事先知道答案，种子相同）的 {share}%。",
    ),
    "won_sets": Phrase(
        "It did better on {wins} of {count} seed sets; the difference is larger than chance would make it.",
        "在 {count} 组种子中的 {wins} 组上更好，差异超出偶然。",
    ),
    "unclear": Phrase(
        "The difference over the {count} seed sets lies within its 95% confidence interval: chance could have made it.",
        "{count} 组种子上的差异在 95% 置信区间之内，可能出于偶然。",
    ),
    "single_set": Phrase(
        "One seed set cannot tell luck from skill: repeat it with more.",
        "只有一组种子，无法分辨运气与本领；请多用几组种子重复。",
    ),
    # charts
    "charts": Phrase("What was found, and when", "何时找到了多少"),
    "legend": Phrase("Policies shown in the charts", "图中显示的策略"),
    "show_all": Phrase("All", "全部"),
    "show_key": Phrase("Main ones", "主要"),
    "chart_pages": Phrase("Pages on topic found", "找到的相关页面"),
    "chart_pages_note": Phrase(
        "Hits by pages fetched. Steeper is better.",
        "横轴为抓取页数，纵轴为命中数；越陡越好。",
    ),
    "chart_recall": Phrase("Share of all targets found, %", "已找到目标的比例，%"),
    "chart_recall_note": Phrase("Recall by pages fetched.", "横轴为抓取页数，纵轴为召回率。"),
    "chart_seconds": Phrase("Pages on topic found, by time", "随时间找到的相关页面"),
    "chart_seconds_note": Phrase(
        "Hits by virtual seconds, with the latency and the delays of the settings below.",
        "横轴为虚拟秒，按下列设置中的延迟与间隔计时。",
    ),
    "chart_bars": Phrase("Precision at the checkpoints, %", "各检查点的准确率，%"),
    "chart_bars_note": Phrase(
        "Of the pages fetched so far, the share that is on topic.", "到该检查点为止，抓到的页面中相关的比例。"
    ),
    "band_note": Phrase(
        "Lines are means over {count} seed sets; bands reach from the lowest to the highest of them.",
        "线为 {count} 组种子的平均，色带为其最低至最高。",
    ),
    "whisker_note": Phrase("Whiskers: 95% confidence interval.", "须线：95% 置信区间。"),
    "perfect": Phrase("perfect", "完美"),
    "perfect_note": Phrase(
        "Grey dots: a crawl whose every page is a hit.", "灰色点线：每页都命中的爬行。"
    ),
    "axis_pages": Phrase("pages fetched", "抓取页数"),
    "axis_seconds": Phrase("virtual seconds", "虚拟秒"),
    "axis_hits": Phrase("pages on topic", "相关页面"),
    "as_table": Phrase("These figures as a table", "以表格显示"),
    "no_script": Phrase(
        "Charts need JavaScript; all their figures are in the tables, and harvest.svg beside this file shows the first chart.",
        "图表需要 JavaScript；表格中有全部数字，同目录的 harvest.svg 是第一张图。",
    ),
    "aria_chart": Phrase(
        "{title}. At {pages} pages: {standing}.",
        "{title}。抓取 {pages} 页时：{standing}。",
    ),
    # tables
    "overview": Phrase("The policies in order", "策略排名"),
    "overview_note": Phrase(
        "By the area under the harvest curve, relative to a perfect crawl. {interval}",
        "按收获曲线下的面积（相对于完美爬行）排列。{interval}",
    ),
    "interval": Phrase("± is half of the 95% confidence interval over {count} seed sets.", "± 为 {count} 组种子的 95% 置信区间之半。"),
    "no_interval": Phrase("One seed set: no intervals.", "只有一组种子，没有置信区间。"),
    "policy": Phrase("Policy", "策略"),
    "hits_at": Phrase("Hits at {pages}", "{pages} 页命中"),
    "of_perfect": Phrase("Area of perfect", "面积对完美"),
    "of_oracle_head": Phrase("Area of oracle’s", "面积对先知"),
    "pages_for": Phrase("Pages for {share}%", "找到 {share}% 所需页数"),
    "hosts_hit": Phrase("Hosts with hits", "命中主机"),
    "virtual_time": Phrase("Virtual time", "虚拟时间"),
    "at_checkpoints": Phrase("At the checkpoints", "各检查点"),
    "at_checkpoints_note": Phrase(
        "The table of Li 2002. The best of each column, the oracle apart, is bold. {interval}",
        "即 Li 2002 的表。每列最好者（先知除外）加粗。{interval}",
    ),
    "precision": Phrase("Precision, %", "准确率，%"),
    "precision_means": Phrase("hits among the pages fetched so far", "抓到的页面中命中的比例"),
    "discovery": Phrase("Discovery, %", "发现率，%"),
    "discovery_means": Phrase("the share of all targets found so far", "已找到目标的比例"),
    "ended_note": Phrase(
        "* A run had ended before, its queue empty: its final standing, never bold.", "* 有运行此前已因队列空而结束：为其最终成绩，不加粗。"
    ),
    "hits_table": Phrase("Hits", "命中数"),
    "seconds_table": Phrase("Virtual seconds", "虚拟秒"),
    "after_pages": Phrase("after … pages", "抓取页数"),
    "pairs": Phrase("Pair by pair", "两两比较"),
    "pairs_note": Phrase(
        "From the same seeds, by the area relative to perfect. The dot is the mean difference, the line its 95% confidence interval: "
        "where it touches zero, there is no clear difference.",
        "种子相同，比较面积（对完美）。点为平均差，线为 95% 置信区间；触及零线即看不出差别。",
    ),
    "pairs_note_single": Phrase(
        "From the same seeds, by the area relative to perfect. One seed set: no intervals.",
        "种子相同，比较面积（对完美）。只有一组种子，没有置信区间。",
    ),
    "pair": Phrase("{winner} over {loser}", "{winner} 胜 {loser}"),
    "pair_unclear": Phrase("{winner} and {loser}: no clear difference", "{winner} 与 {loser}：看不出差别"),
    "pair_equal": Phrase("{winner} and {loser}: equal", "{winner} 与 {loser}：相同"),
    "pair_head": Phrase("Comparison", "比较"),
    "wins": Phrase("Better on", "更好"),
    "wins_of": Phrase("{wins} of {count}", "{wins}/{count}"),
    "wins_of_ties": Phrase("{wins} of {count}, {ties} equal", "{wins}/{count}，{ties} 组相同"),
    "difference": Phrase("Difference", "差"),
    "chart_head": Phrase("Interval", "区间"),
    "hosts": Phrase("Host by host", "各主机"),
    "hosts_note": Phrase(
        "Hits of pages fetched, in each policy’s first run; the {count} hosts that hold or gave most.",
        "每个策略第一次运行中的“命中/抓取”；列出目标或命中最多的 {count} 个主机。",
    ),
    "host": Phrase("Host", "主机"),
    "targets": Phrase("Targets", "目标"),
    # examples
    "examples": Phrase("Where they differ", "差别在哪里"),
    "examples_note": Phrase(
        "Pages that one policy (the oracle apart) fetched early and another late or never, in the first runs, with the link that led there and what it was worth.",
        "在第一次运行中，某策略（先知除外）很早抓到而别的策略很晚或从未抓到的页面，以及通向它的链接和当时的价值。",
    ),
    "hit": Phrase("on topic", "相关"),
    "miss": Phrase("off topic", "无关"),
    "untitled": Phrase("(no title)", "（无标题）"),
    "first_by": Phrase("fetched it first, as page {number}", "最先抓到，第 {number} 页"),
    "others_at": Phrase("The others, as page", "其他策略，各为第几页"),
    "never": Phrase("Never", "从未"),
    "link_said": Phrase("The link said", "链接文字"),
    "link_silent": Phrase("(no text)", "（无文字）"),
    "link_on": Phrase("on", "所在页面"),
    "was_seed": Phrase("No link is remembered for it: a seed, or forgotten since.", "没有记下通向它的链接：是种子，或已被忘记。"),
    "worth": Phrase("Worth in the queue", "队列中的价值"),
    "made_of": Phrase("made of", "构成"),
    # method
    "method": Phrase("How it was done", "方法"),
    "method_runs": Phrase(
        "Every policy crawled the same web at rest from the same seeds, in virtual time, with the page scorer, link scorers, frontier and "
        "politeness rules of a real crawl, under the settings below. Seeds do not count as hits; dead links cost no page.",
        "每个策略都从相同的种子出发，在虚拟时间里爬取同一个静止的网站，所用的页面评分、链接评分、队列与礼貌规则与真实爬行相同，设置见下。种子不计命中，死链不计页数。",
    ),
    "method_counts": Phrase(
        "A hit is a page the judge says is on topic; a miss is one it says is not. Hubs (lists of links), redirects and pages of which nobody "
        "knows are neither. Near-duplicates count once. Precision = hits / (hits + misses); discovery = hits / targets.",
        "评判认定相关的页面为命中，认定无关的为未中。目录页、重定向以及无人知晓的页面两者都不是。近似重复的页面只计一次。准确率 = 命中 /（命中 + 未中）；发现率 = 命中 / 目标。",
    ),
    "method_area": Phrase(
        "The area under the harvest curve is taken relative to a perfect crawl (every page a hit until there are no more) and to the oracle "
        "(knows the labels, may follow only links it has seen, goes for the nearest target). Nothing exceeds 1 of perfect; more than 1 of the "
        "oracle’s is rare, but possible.",
        "收获曲线下的面积分别相对于完美爬行（每页都命中，直到没有目标）和先知（知道标注，但只能走见过的链接，总是奔向最近的目标）。对完美不会超过 1；对先知超过 1 少见，但有可能。",
    ),
    "method_seeds": Phrase(
        "Seed set k: the start page and on-topic pages reachable from it, drawn with k as the seed of the random numbers.",
        "第 k 组种子：起始页，加上以 k 为随机数种子、从起始页可达的相关页面中抽取的几页。",
    ),
    "notes": Phrase("Mind", "请注意"),
    "policies": Phrase("The policies", "各策略"),
    "settings": Phrase("Settings", "设置"),
    "topic_digest": Phrase("Digest of the topic", "主题摘要值"),
    "web_digest": Phrase("Digest of the web", "网站摘要值"),
    "labels_digest": Phrase("Digest of the labels", "标注摘要值"),
    "seed": Phrase("Seed of random numbers", "随机数种子"),
    "version": Phrase("topicspider", "topicspider 版本"),
    "start_pages": Phrase("Start pages", "起始页"),
    "seed_sets": Phrase("Seed sets", "种子组"),
    "set_number": Phrase("Set {number}", "第 {number} 组"),
    "ends": Phrase("How the runs ended", "各次运行的结束"),
    "pages": Phrase("Pages", "页数"),
    "ended": Phrase("Ended", "结束原因"),
    "ended_max_pages": Phrase("all pages fetched", "抓满页数"),
    "ended_empty": Phrase("queue empty", "队列已空"),
    "dead": Phrase("Dead links", "死链"),
    "redirects": Phrase("Redirects", "重定向"),
    "forbidden": Phrase("Forbidden", "禁止抓取"),
    "links": Phrase("Links", "链接"),
    "pruned": Phrase("Pruned", "剪除"),
    # foot
    "machine": Phrase("What it cost here", "本机开销"),
    "machine_figures": Phrase(
        "{wall} s, of which {reading} s reading the web; {cpu} s of CPU in {processes} processes; {peak} MB at most. Python {python}, {platform}.",
        "用时 {wall} 秒，其中读取网站 {reading} 秒；{processes} 个进程共用 CPU {cpu} 秒；内存最多 {peak} MB。Python {python}，{platform}。",
    ),
    "stable": Phrase(
        "results.json, results.csv, harvestinfo.csv and harvest.svg are the same bytes whenever this is repeated; this page is not, as it names what it "
        "cost here. Everything is in this one file; it loads nothing.",
        "重复演练时，results.json、results.csv、harvestinfo.csv 与 harvest.svg 逐字节相同；本页写有本机开销，故不相同。本页自成一个文件，不加载任何外部内容。",
    ),
}  # fmt: skip

POLICIES: dict[str, tuple[Phrase, Phrase]] = {
    "bfs": (
        Phrase("Breadth-first", "宽度优先"),
        Phrase("Takes links in the order in which they were found.", "按发现的先后抓取链接。"),
    ),
    "dfs": (
        Phrase("Depth-first", "深度优先"),
        Phrase("Takes the link that was found last.", "先抓最后发现的链接。"),
    ),
    "random": (
        Phrase("Random", "随机"),
        Phrase("Draws from the links that were found.", "在已发现的链接中随机抽取。"),
    ),
    "hard_focus": (
        Phrase("Hard focus", "硬聚焦"),
        Phrase("Follows links from pages on topic only (thesis 2011).", "只跟随相关页面上的链接（2011 年学位论文）。"),
    ),
    "best_first": (
        Phrase("Best-first", "最佳优先"),
        Phrase("A link is worth what the page it stands on is worth.", "链接的价值即其所在页面的相关度。"),
    ),
    "anchor": (
        Phrase("Anchor text", "锚文本"),
        Phrase("A link is worth what its own text says of the topic.", "链接的价值只看其文字与主题的关系。"),
    ),
    "shark": (
        Phrase("Shark search", "鲨鱼搜索"),
        Phrase(
            "Text of the link and around it, and what its ancestors hand down, fading with each step.",
            "综合链接文字、上下文，以及逐级衰减的祖先页面相关度。",
        ),
    ),
    "rw": (
        Phrase("RW", "链接权重 RW"),
        Phrase(
            "How near the words of a link and around it come to the topic’s (Li 2002, formula 1).",
            "链接文字及上下文与主题词的最大相似度（Li 2002，公式 1）。",
        ),
    ),
    "pagerank": (
        Phrase("PageRank", "PageRank"),
        Phrase(
            "The pages to which most of the pages found so far lead, whatever the topic.",
            "目前已知链接结构中最受推荐的页面，不论主题。",
        ),
    ),
    "opic": (
        Phrase("OPIC", "OPIC"),
        Phrase(
            "Importance as cash that each fetched page hands on to its links, whatever the topic.",
            "每个抓到的页面把“现金”分给其链接，以此估计重要性，不论主题。",
        ),
    ),
    "ipagerank": (
        Phrase("IPageRank", "IPageRank"),
        Phrase(
            "PageRank that follows each link in proportion to its relevance to the topic (Li 2002, formula 3).",
            "按链接与主题的相关程度传递的 PageRank（Li 2002，公式 3）。",
        ),
    ),
    "learned": (
        Phrase("Learned", "在线学习"),
        Phrase(
            "Learns while it crawls which links lead to pages on topic.", "边爬边学哪些链接通向相关页面。"
        ),
    ),
    "oracle": (
        Phrase("Oracle", "先知"),
        Phrase(
            "Knows the answers, but may follow only links it has seen, and goes for the nearest target: usually hard to beat, though no proof "
            "says that nothing can.",
            "事先知道答案，但只能走见过的链接，总是奔向最近的目标：通常难以超越，但并无证明。",
        ),
    ),
}  # fmt: skip


def name_of(policy: str, server_policy: str = "") -> Phrase:
    """What a policy is called in sentences, with its server policy when that is given; an unknown one by its own name."""
    name = POLICIES[policy][0] if policy in POLICIES else same(policy)
    return Phrase(f"{name.en} + {server_policy}", f"{name.zh} + {server_policy}") if server_policy else name


def in_sentence(name: Phrase) -> Phrase:
    """A name within a sentence: small letters, unless it is spelt with capitals inside (IPageRank, OPIC)."""
    return Phrase(name.en.lower() if name.en[1:].islower() else name.en, name.zh)


def explanation_of(policy: str) -> Phrase:
    """One line on what a policy does; empty for one that is not known here."""
    return POLICIES[policy][1] if policy in POLICIES else same("")
