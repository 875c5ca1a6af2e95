"""Stop words, which tell nothing about a topic: Chinese and English function words, and words of web page boilerplate."""

from __future__ import annotations

# particles, pronouns, prepositions, conjunctions, adverbs of degree, numbers and measures, verbs without content
_CHINESE = """
的 地 得 了 着 过 之 所 者 吗 呢 吧 啊 呀 哦 嘛 啦 哇 嗯 哈 哪 么 们 个 第 等 等等 似的 一样 一般 的话 来说 而言
我 你 您 他 她 它 我们 你们 您们 他们 她们 它们 咱 咱们 自己 本人 人家 大家 别人 他人 各自 彼此 某 某个 某些 本 该 此 其 其他 其它 其中 其实 其余
这 那 这个 那个 这些 那些 这里 那里 这儿 那儿 这样 那样 这么 那么 这种 那种 这是 那是 此外 此时 此次 因此 如此 这次 这时 那时 这边 那边 这一 那一 之一 这般
谁 什么 怎么 怎样 怎么样 如何 为何 为什么 何 何时 何处 几 几个 多少 哪里 哪儿 哪个 哪些 是否 能否 可否 有没有 是不是
是 不是 就是 也是 还是 都是 正是 乃 有 没有 没 无 非 不 不会 不能 不要 不同 不过 不仅 不但 不只 不管 不论 不得 不再 别 勿 未 未必 并不 并非 从不 而不
在 于 从 自 自从 由 由于 到 往 向 朝 对 对于 关于 至于 至 把 被 让 叫 给 替 为 为了 因 因为 以 以及 以便 以免 以来 以上 以下 以内 以外 以前 以后 按 按照 依 依据 据 根据 凭 通过 经 经过 随 随着 沿 沿着 当 当中 趁 除 除了 除外 比 比如 跟 跟着 和 与 同 同时 及 并 并且 而 而且 而是 且 或 或者 或是 还 还有 还要 又 也 亦 也许 都 均 就 便 即 即使 即将 才 却 但 但是 只 只是 只有 只要 只能 仅 仅仅 光 单 若 若是 如 如果 如同 如下 例如 譬如 诸如 假如 假设 倘若 要是 要么 既 既然 既是 虽 虽然 尽管 无论 无非 然而 然后 于是 所以 从而 因而 进而 甚至 甚而 何况 况且 否则 不然 总之 综上 反之 与其 宁可 宁愿 哪怕 万一 以至 以致 致使 使 使得 令 令人 似乎 好像 仿佛 正如 正在 正 将 将要 会 能 能够 可 可以 可能 可是 应 应该 应当 该当 必 必须 必定 需 需要 要 想 想要 愿意 肯 敢
很 非常 十分 太 更 更加 更为 最 最为 极 极其 极为 挺 颇 颇为 越 越来越 越发 尤其 特别 比较 较 较为 相当 相对 稍 稍微 略 略微 几乎 差不多 大约 大概 大致 左右 上下 约 大多 大多数 大部分 多数 少数 一些 一点 一下 一切 一定 一直 一旦 一边 一面 一方面 另一方面 另 另外 另有 再 再次 再者 再说 又是 已 已经 曾 曾经 刚 刚刚 刚才 马上 立即 立刻 随即 随时 常 常常 经常 时常 往往 总 总是 总共 一共 共 共有 仍 仍然 仍旧 依然 依旧 始终 从来 向来 原来 本来 终于 到底 究竟 毕竟 果然 居然 竟 竟然 忽然 突然 顿时 渐渐 逐渐 逐步 互相 相互 一起 一同 共同 分别 各 各个 各种 各位 各类 每 每个 每次 每当 所有 全 全部 全体 整个 凡 凡是 任何 任 许多 很多 好多 不少 多 多么 多种 少 几乎 唯一 单独 独自 亲自 亲眼 确实 的确 真 真是 真正 实在 当然 显然 自然 果真 难道 莫非 简直 反正 恰恰 恰好 刚好 正好 幸好 尽量 尽快 务必 千万 恐怕 或许 大不了 不妨 何必 何不
上 下 里 外 内 中 前 后 左 右 旁 间 之间 之前 之后 之中 之上 之下 之内 之外 之类 以及其 里面 外面 上面 下面 前面 后面 中间 其间 期间 时 时候 时间 当时 现在 目前 如今 今 今后 从此 从前 先 先后 首先 其次 最后 最终 最近 近来 后来 接着 接下来 随后 不久 起 起来 出 出来 出去 进 进来 进去 进行 上来 上去 下来 下去 过来 过去 回 回来 回去 来 去 走 做 作 作为 成 成为 当作 称 称为 叫做 认为 以为 觉得 感到 表示 指出 说 说到 谈到 看 看到 看来 知道 使用 采用 具有 拥有 属于 位于 包括 包含 来自 起到 得到 受到 达到 做到 用 用于 加以 予以 给予 带来 产生 形成 出现 开始 结束 继续 存在 有关 相关 有些 有的 有时 有着 有人 的人 人们 东西 事 事情 情况 方面 问题 样 样子 种 类 次 件 名 位 只好 点 些 一 二 两 三 四 五 六 七 八 九 十 百 千 万 亿 零 〇 半 双 一个 一种 一次 一位 一名 两个 三个 年 月 日 号 时分 今天 昨天 明天 今年 去年 明年 上午 下午 晚上 小时 分钟 秒
"""

# boilerplate of web pages
_WEB = """
首页 主页 网页 页面 本站 本网 网站 网址 网 站 版权 版权所有 声明 免责声明 保留 转载 转载请注明 注明 出处 来源 编辑 责任编辑 责编 记者 作者 发布 发表 发布时间 更新 更新时间 点击 点击次数 浏览 浏览次数 阅读 阅读次数 次数 人气 评论 留言 回复 分享 收藏 推荐 热门 更多 详细 详情 全文 正文 查看 返回 返回顶部 顶部 上一页 下一页 上一篇 下一篇 上页 下页 尾页 末页 上一 下一 一页 一篇 页 篇 打印 关闭 窗口 字体 大 小 大小 登录 登陆 注册 退出 用户 用户名 密码 会员 客服 联系 联系我们 关于我们 帮助 帮助中心 网站地图 友情链接 友情 链接 导航 栏目 搜索 检索 关键词 关键字 标签 标题 摘要 内容 简介 图片 视频 下载 备案 备案号 icp 京 沪 粤 加入收藏 设为首页 设为 加入 扫一扫 微信 微博 公众号 二维码 手机版 客户端 app
html htm php asp aspx jsp www http https com cn net org index default
"""

_ENGLISH = """
a an the this that these those such same other another each every either neither both all any some no none few many much more most less least several own
i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers herself it its itself they them their theirs themselves one ones oneself someone somebody something anyone anybody anything everyone everybody everything nobody nothing who whom whose which what whoever whatever whichever
am is are was were be been being do does did done doing have has had having will would shall should can could may might must ought let lets get gets got gotten getting make makes made making go goes went gone going come comes came coming take takes took taken taking say says said saying see sees saw seen seem seems seemed put use uses used using like just also too very really quite rather almost nearly enough only even still yet already again ever never always often sometimes usually maybe perhaps
of in on at by for from to into onto upon with within without about above across after against along among amongst around as before behind below beneath beside besides between beyond but despite down during except inside near off out outside over past per since than through throughout till toward towards under underneath until up via versus vs
and or nor so if then else because although though unless while whereas whether when whenever where wherever why how however therefore thus hence moreover furthermore meanwhile otherwise instead nevertheless nonetheless indeed anyway etc eg ie
not dont doesnt didnt isnt arent wasnt werent wont wouldnt cant cannot couldnt shouldnt havent hasnt hadnt im ive ill id youre youve hes shes were theyre theyve thats theres whats ll ve re isn aren wasn weren won wouldn couldn shouldn haven hasn hadn doesn didn don
here there now today yesterday tomorrow soon later ago first second third last next new old good well better best great way ways thing things lot lots bit kind sort type number part two three four five six seven eight nine ten hundred thousand million
home page pages site website web click read view more back top previous prev login log sign register search menu contact us copyright reserved rights privacy policy terms cookie cookies share follow email print comment comments reply tags tag posted post author date updated update download link links please
amp nbsp quot lt gt
"""

CHINESE_STOP_WORDS: frozenset[str] = frozenset(_CHINESE.split())
ENGLISH_STOP_WORDS: frozenset[str] = frozenset(_ENGLISH.split())
STOP_WORDS: frozenset[str] = CHINESE_STOP_WORDS | ENGLISH_STOP_WORDS | frozenset(_WEB.split())
"""All stop words, normalised as by ``text.normalise.normalise``."""
