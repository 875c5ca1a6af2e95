"""The words and sentence patterns that the made web is written in; all of our own writing.

In patterns, ``{n}`` and ``{m}`` are things, ``{a}`` actors, ``{p}`` places, ``{v}`` deeds, ``{q}`` qualities of the subject,
``{c}`` numbers, ``{k}`` small ones, ``{t}`` times, ``{r}`` regions, ``{w}`` people.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Subject:
    """How one subject is written about. ``columns``: names of sections; ``names``: of sites."""

    columns: tuple[str, ...]
    names: tuple[str, ...]
    things: tuple[str, ...]
    actors: tuple[str, ...]
    places: tuple[str, ...]
    deeds: tuple[str, ...]
    qualities: tuple[str, ...]
    titles: tuple[str, ...]
    sentences: tuple[str, ...]


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.strip().splitlines())


CHINESE = {
    "tourism": Subject(
        columns=_words("旅游 行走 目的地 游记 线路 自驾 攻略 周边游"),
        names=_words("远方客栈 山水行 背包客 走四方 云水间 驿路 一路向西 湖畔游"),
        things=_words(
            "景区 门票 古镇 民宿 行程 线路 观光车 雪山 海岛 温泉 峡谷 栈道 索道 老街 石窟 湿地 观景台 露营地 "
            "客栈 夜景 古城墙 瀑布 草原 沙滩 游船 博物馆 日出 云海 梯田 寺院"
        ),
        actors=_words("游客 导游 旅行社 驴友 背包客 景区管理处 民宿老板 自驾的车友 摄影爱好者 外地旅客 文旅局"),
        places=_words(
            "江南水乡 川西高原 海南岛 大理古城 黄山脚下 敦煌 喀纳斯 桂林 青海湖 婺源 张家界 长白山 平遥 厦门鼓浪屿"
        ),
        deeds=_words(
            "徒步进山 看日出 住进临水的客栈 坐船夜游 错峰出游 提前预约门票 沿环湖公路自驾 逛古镇的夜市 泡温泉 拍星空 跟团出发 在观景台合影"
        ),
        qualities=_words("风景如画 游人如织 值得再来一次 清静少人 适合亲子游 移步换景 旺季一房难求 色彩斑斓 名不虚传"),
        titles=_lines("""
            {p}三日游：{n}与{m}一次看够
            假期去哪儿玩？{p}的{n}{q}
            一个人的旅行：在{p}{v}
            {p}自由行攻略，门票和住宿都在这里
            {t}，{p}接待{a}{c}万人次
            {p}游记：{n}，{q}
            走进{p}，{v}
            {r}到{p}的自驾路线整理
            第一次去{p}，这几件事要知道
            {n}开放预约，{a}{v}
        """),
        sentences=_lines("""
            我们在{t}到达{p}，放下行李就去看{n}，果然{q}。
            {p}的{n}离车站不远，{a}大多选择{v}。
            去{p}旅游最好避开长假，那时{n}前总是排着长队，{a}要等上{c}分钟。
            从{n}走到{m}大约{c}公里，沿途{q}，慢慢走才不辜负这一程。
            {a}建议把{n}安排在上午，下午再{v}。
            今年{p}的{n}票价下调，{a}比去年同期多了{k}成。
            傍晚时分，{n}被夕阳染红，许多{a}在那里{v}。
            这条线路把{n}和{m}连在一起，{k}天走完，不赶也不累。
            住宿可以选{n}旁边的院子，推开窗就是{m}，{q}。
            {a}告诉我，想{v}就要在天亮前出门。
            {r}的朋友如果自驾到{p}，记得在服务区加满油，山路上没有加油站。
            旅途的第{k}天，我们终于{v}，一路的疲惫都忘了。
            当地{a}推出的短途游很受欢迎，行程里有{n}，也有{m}。
            {p}四季不同，春天看花，秋天看{n}，冬天人少，最{q}。
        """),
    ),
    "food": Subject(
        columns=_words("美食 吃货 食谱 探店 家常菜 烘焙 小吃 厨房"),
        names=_words("灶台边 一日三餐 味道笔记 小厨房 面点铺 百味坊 饭点 馋嘴猫"),
        things=_words(
            "红烧肉 清蒸鱼 豆瓣酱 火锅底料 老面馒头 葱油饼 糖醋排骨 高汤 腊肠 酱油 花椒 米线 凉粉 面团 黄油 蛋糕胚 砂锅 "
            "臭豆腐 卤水 春卷 点心 小龙虾 汤圆 泡菜 五花肉 酸辣粉 煎饺 豆腐脑"
        ),
        actors=_words("大厨 老师傅 食客 美食博主 摊主 烘焙新手 家里的老人 餐馆老板 点心师傅 主妇"),
        places=_words("巷子口的小店 后厨 夜市摊位 自家厨房 老字号饭庄 早点铺 菜市场 面馆 农家灶台"),
        deeds=_words(
            "小火慢炖 把葱姜爆香 撒一把芝麻 加盐调味 揉到面团光滑 焯水去腥 大火收汁 放进烤箱 腌上一夜 切成薄片"
        ),
        qualities=_words("外酥里嫩 咸淡适口 香而不腻 入口即化 鲜美可口 麻辣过瘾 软糯香甜 回味悠长 百吃不厌"),
        titles=_lines("""
            {n}的家常做法，{q}
            {r}小吃地图：从{n}吃到{m}
            {a}教你做{n}，关键在于{v}
            藏在{p}的{n}，{q}
            一碗{n}里的乡愁
            {t}学做{n}，{k}步就够
            为什么{p}的{n}总是更好吃
            {n}和{m}怎么搭配
        """),
        sentences=_lines("""
            做{n}最要紧的是火候，{a}总说要{v}才行。
            先把{n}洗净沥干，再{v}，这样出锅的时候{q}。
            {p}的{n}一天只卖{c}份，去晚了就没有了。
            {a}端上来的{n}{q}，配一碗{m}正好。
            调料不必多，一勺{n}就能提鲜，放多了反而压味。
            食材新鲜是根本，{n}要当天买当天用。
            揭开锅盖的一刻，{n}的香气飘满了{p}。
            有人爱在{n}里加{m}，味道{q}。
            {r}人做{n}喜欢{v}，别处学不来。
            烤箱预热到{c}度，放入{n}，等表面金黄再取出。
            这道{n}用不上贵的食材，胜在{q}。
            {a}花了{c}年才摸清{n}的脾气。
        """),
    ),
    "sport": Subject(
        columns=_words("体育 赛事 足球 篮球 跑步 健身 羽毛球 战报"),
        names=_words("绿茵场 跑者说 三分线 赛场内外 热身 冲刺网 球迷会 更衣室"),
        things=_words(
            "联赛 比分 点球 三分球 主场 客场 积分榜 决赛 马拉松 接力赛 训练课 力量训练 防守 反击 季后赛 冠军 奖牌 世界纪录 "
            "预选赛 裁判 任意球 发球局 替补席 下半场 转会 配速 体能"
        ),
        actors=_words("主教练 前锋 门将 球迷 选手 国家队 队长 年轻后卫 裁判组 替补球员 马拉松跑者 教练组"),
        places=_words("体育馆 奥体中心 训练基地 田径场 主场球馆 游泳馆 绿茵场 赛道终点"),
        deeds=_words(
            "扳平比分 攻入制胜球 刷新个人最好成绩 连续抢断 完成绝杀 带伤上阵 晋级四强 保持不败 加练投篮 提前锁定胜局"
        ),
        qualities=_words("状态火热 攻守兼备 配合默契 后劲不足 气势如虹 发挥稳定 场面胶着 体能充沛"),
        titles=_lines("""
            {a}{v}，主队拿下{n}
            {n}前瞻：{a}{q}
            {k}比{k}！{r}队{v}
            {n}综述：{a}{v}
            跑步{c}公里以后，{n}该怎么安排
            {a}谈{n}：要在{p}{v}
            {t}的{n}，悬念留到最后
            从{n}看{r}队的{m}
        """),
        sentences=_lines("""
            比赛第{c}分钟，{a}{v}，{p}沸腾了。
            {a}赛后表示，球队{q}，下一场要把{n}做得更好。
            这场{n}双方{q}，直到最后时刻才分出胜负。
            {r}队在{n}上占据优势，但{m}始终是隐患。
            {a}本赛季出场{c}次，数据是联盟前列。
            {p}里座无虚席，{a}高喊着队歌。
            新援的加入让{n}有了更多变化，{a}也更有信心{v}。
            {n}结束后，积分榜上的差距缩小到{c}分。
            科学的{n}比蛮练更重要，{a}提醒大家循序渐进。
            {t}开始的{n}将在{p}进行，门票已经售罄。
            他在{n}中跑出{c}秒，距离{m}只差一步。
            教练组调整了{n}，年轻队员得到机会{v}。
        """),
    ),
    "health": Subject(
        columns=_words("健康 养生 医院 疾病 用药 心理 睡眠 中医"),
        names=_words("平安脉 晨起 问诊台 健康口袋 百草园 好睡眠 白大褂 体检报告"),
        things=_words(
            "血压 血糖 体检 门诊 疫苗 抗生素 睡眠 颈椎 过敏 胃病 感冒 维生素 处方 化验单 慢性病 糖尿病 高血脂 针灸 免疫力 "
            "焦虑 康复 手术 护理 关节 视力 流感"
        ),
        actors=_words("主任医师 患者 护士 家属 老年人 营养师 心理咨询师 药剂师 社区医生 孕妇 高血压患者"),
        places=_words("社区医院 门诊大厅 病房 体检中心 急诊室 康复科 药房 中医馆"),
        deeds=_words("按时服药 定期复查 戒烟限酒 早睡早起 接种疫苗 控制饮食 测量血压 及时就医 做好随访 保持规律作息"),
        qualities=_words("不可大意 因人而异 效果明显 容易被忽视 需要长期坚持 症状轻微 恢复良好"),
        titles=_lines("""
            {n}偏高怎么办？{a}这样说
            {t}高发的{n}，{q}
            {a}提醒：{v}
            关于{n}的{c}个误区
            {n}与{m}有什么关系
            {p}开设{n}专病门诊
            {a}为什么要{v}
            一文读懂{n}
        """),
        sentences=_lines("""
            {a}指出，{n}{q}，应当{v}。
            如果{n}持续{c}天没有好转，要到{p}检查{m}。
            {a}在{p}接受治疗后，{n}{q}。
            研究者随访了{c}名{a}，发现{n}和{m}之间存在关联。
            {n}的早期症状不典型，常被当成{m}。
            服药期间不要饮酒，{a}尤其要{v}。
            {t}气温变化大，{a}更要留意{n}。
            改善{n}首先从生活方式入手，{v}比吃药更要紧。
            {p}今年新增{n}筛查，{a}可以免费预约。
            医生根据{n}的结果调整剂量，每{k}周复诊一次。
            不要自行停药，{n}反跳时{q}。
            {a}常问要不要补{n}，答案是{q}。
        """),
    ),
    "education": Subject(
        columns=_words("教育 招生 高考 课堂 留学 教师 家长 校园"),
        names=_words("书声 讲台 课间十分钟 学海 园丁 青青校园 考试通 小课堂"),
        things=_words(
            "课程 教材 作业 分数线 录取 志愿 奖学金 论文 课堂 考试 暑期班 实验课 班主任 选修课 学位 招生简章 素质教育 "
            "阅读能力 职业学校 幼儿园 题库 毕业典礼 研究生 教学改革"
        ),
        actors=_words("考生 班主任 家长 校长 教研员 大学生 数学老师 辅导员 教育局 毕业生 小学生"),
        places=_words("教室 图书馆 考场 实验楼 招生办 乡村小学 大学校园 报告厅"),
        deeds=_words(
            "填报志愿 批改作业 组织期中考试 申请奖学金 开展家访 复习错题 旁听公开课 撰写论文 减轻课业负担 参加面试"
        ),
        qualities=_words("循序渐进 因材施教 成绩优异 压力不小 深入浅出 竞争激烈 受益匪浅"),
        titles=_lines("""
            {r}公布今年{n}，{a}注意
            {a}如何{v}
            {n}改革之后，{a}怎么看
            写给{a}：{n}{q}
            {p}里的{n}
            {t}起，{n}有新变化
            一位{a}的{c}年
            {n}与{m}孰轻孰重
        """),
        sentences=_lines("""
            {a}认为，{n}应当{q}，不能只看分数。
            今年{r}的{n}比去年提高了{c}分，{a}普遍感到{q}。
            {p}里很安静，{a}正在{v}。
            学校把{n}和{m}结合起来，让{a}有更多选择。
            {t}开学后，{a}要{v}，时间比较紧。
            {a}每天花{c}分钟在{n}上，效果比突击好得多。
            新的{n}强调动手，{m}占到总成绩的{k}成。
            {a}在{p}召开座谈会，讨论{n}怎样落实。
            不少{a}担心{n}太难，老师说方法得当就能{q}。
            {n}的安排会在招生网上公布，请{a}及时查看。
            从{n}到{m}，孩子需要一个适应的过程。
            这门{n}深受{a}欢迎，每次报名都是秒满。
        """),
    ),
    "finance": Subject(
        columns=_words("财经 股市 理财 基金 银行 宏观 公司 期货"),
        names=_words("K线图 账本 钱袋子 交易日 市场观察 财报季 利率表 复盘"),
        things=_words(
            "股票 基金 利率 汇率 债券 财报 净利润 市值 信贷 通胀 存款 指数 分红 仓位 期货 估值 营业收入 现金流 旅游板块 "
            "银行股 央行 融资 并购 保险 外汇储备 流动性"
        ),
        actors=_words("投资者 分析师 基金经理 证监会 上市公司 央行 散户 券商 董事会 机构资金 审计师"),
        places=_words("交易所 股市 银行柜台 债券市场 股东大会 期货市场 证券营业部"),
        deeds=_words("减持股份 下调利率 发布业绩预告 逢低买入 控制仓位 回购注销 计提减值 调整评级 止损离场 扩大授信"),
        qualities=_words("震荡走低 估值偏高 超出预期 放量上涨 风险可控 承压明显 低位徘徊"),
        titles=_lines("""
            {n}{q}，{a}{v}
            收评：{n}与{m}分化
            {a}：{n}{q}
            {c}家上市公司披露{n}
            {t}以来{n}{q}，怎么办
            {n}持仓调整，{a}选择{v}
            读懂{n}的{c}个指标
            {r}企业{n}融资升温
        """),
        sentences=_lines("""
            截至收盘，{n}{q}，成交额超过{c}百亿元。
            {a}认为，短期内{n}{q}，建议{v}。
            公司公告显示，{n}同比增长{k}成，{m}{q}。
            {p}的资金面偏紧，{n}小幅上行。
            {a}在{t}{v}，市场反应平淡。
            {n}回落以后，部分{a}转向{m}。
            受政策影响，{n}{q}，{m}成为避险选择。
            年报披露，应收账款占{n}的{k}成，值得警惕。
            {a}提醒，购买{n}之前要看清费率和期限。
            假期临近，旅游板块拉升，但{a}提示{n}{q}。
            {r}的{a}正在调研{n}，预计下季度{v}。
            分散持有{n}和{m}，可以降低波动。
        """),
    ),
    "technology": Subject(
        columns=_words("科技 数码 软件 人工智能 编程 手机 芯片 互联网"),
        names=_words("零与一 代码集 芯闻 极客桌 服务器后台 开源志 像素 断点"),
        things=_words(
            "芯片 算法 操作系统 数据库 服务器 大模型 显卡 编译器 接口 缓存 带宽 摄像头 电池 固件 开源项目 漏洞 云计算 传感器 "
            "屏幕 神经网络 浏览器 路由器 补丁 分布式 协议 机器人"
        ),
        actors=_words("工程师 开发者 用户 厂商 研究团队 产品经理 运维人员 程序员 开源社区 安全专家"),
        places=_words("实验室 数据中心 发布会 代码仓库 云端 测试环境 生产线"),
        deeds=_words(
            "提交补丁 优化内存占用 重写接口 训练模型 升级固件 压缩数据 修复漏洞 部署到云端 提高吞吐量 开放源代码"
        ),
        qualities=_words("性能翻倍 功耗更低 兼容性好 响应迅速 仍不成熟 易于扩展 价格不菲"),
        titles=_lines("""
            {n}新版本发布：{q}
            {a}为什么要{v}
            从零开始写{n}
            {n}与{m}的性能对比
            {a}在{p}发现{n}缺陷
            聊聊{n}：{q}
            {t}值得关注的{c}个{n}
            {n}选型记
        """),
        sentences=_lines("""
            新一代{n}{q}，{a}表示主要得益于{m}。
            {a}在{p}里{v}，耗时减少了{k}成。
            这套{n}由{a}维护，已经有{c}万次下载。
            要让{n}跑得更快，先得{v}。
            {n}在高负载下{q}，但{m}会成为瓶颈。
            {a}把{n}拆成{c}个模块，逐一测试后上线。
            {p}的日志显示，{n}在{t}出现异常。
            与上一代相比，{n}的延迟降到{c}毫秒。
            {a}建议尽快{v}，否则{n}有被攻击的风险。
            {n}需要大量数据，{m}解决了一部分问题。
            调试{n}的时候，{a}习惯先看接口的返回值。
            文档里说{n}{q}，实测差距不大。
        """),
    ),
    "real_estate": Subject(
        columns=_words("房产 楼市 新房 二手房 装修 租房 物业 土地"),
        names=_words("安家 看房日记 砖瓦 楼盘表 邻里 户型图 钥匙扣 装修队长"),
        things=_words(
            "房价 首付 房贷 楼盘 户型 公积金 二手房 物业费 容积率 装修 土地出让 租金 学区 产权 中介费 精装修 交房 地段 "
            "阳台 采光 购房合同 保障房 停车位"
        ),
        actors=_words("购房者 开发商 中介 业主 物业公司 房东 租客 住建局 设计师 按揭客户"),
        places=_words("售楼处 小区 样板间 交易大厅 新城区 老旧小区 地铁沿线"),
        deeds=_words("签订合同 申请贷款 下调首付比例 验收交房 办理过户 重新装修 加装电梯 挂牌出售 公开摇号 成立业委会"),
        qualities=_words("成交回暖 南北通透 库存偏高 价格坚挺 配套齐全 供不应求 折扣明显"),
        titles=_lines("""
            {r}楼市：{n}{q}
            {a}注意，{n}要这样看
            {c}平米小户型怎么{v}
            {p}的{n}，{q}
            {t}{n}新政落地
            {a}与{a}的{n}之争
            买房前先弄懂{n}
            {n}和{m}哪个更重要
        """),
        sentences=_lines("""
            {r}{t}的{n}{q}，{a}看房更加理性。
            {p}的{n}每平方米降了{k}百元，{a}开始{v}。
            签约之前，{a}要核对{n}和{m}，以免日后纠纷。
            这个楼盘{q}，{n}也在合理范围。
            {a}表示，{n}会在年底前{v}。
            以总价{c}百万元计算，{n}每月要还多少，银行会给出明细。
            {p}{q}，{n}因此一直不低。
            {a}提出，{n}应当公示，{m}要由业主大会决定。
            客厅朝南，{n}好，{a}只改动了{m}。
            {n}政策调整后，{a}的咨询量增加了{k}成。
            老房子的{n}有限，{a}用收纳弥补。
            {a}带着我们看了{c}套房，最后选了{n}最好的那套。
        """),
    ),
    "cars": Subject(
        columns=_words("汽车 新车 试驾 新能源 用车 导购 二手车 改装"),
        names=_words("方向盘 车库里 油门到底 四个轮子 试车场 马力 车主说 后视镜"),
        things=_words(
            "发动机 变速箱 续航 底盘 油耗 轮胎 电动车 充电桩 方向盘 后备厢 刹车 轴距 座椅 车机 混动 悬架 扭矩 天窗 "
            "安全气囊 电池包 雨刮 保险杠 机油"
        ),
        actors=_words("车主 车企 试驾编辑 维修技师 经销商 设计总监 交警 销售顾问 新手司机"),
        places=_words("车展 试驾场地 服务门店 高速公路 维修车间 充电站 工厂总装线"),
        deeds=_words("更换机油 测试续航 急刹避让 调校悬架 下调售价 召回车辆 四轮定位 跑完高速 完成交付 升级车机"),
        qualities=_words("动力充沛 静谧性好 空间宽敞 油耗偏高 操控灵活 做工扎实 性价比突出"),
        titles=_lines("""
            {n}升级，新款{q}
            试驾：{n}{q}
            {a}投诉{n}异响
            {c}万元预算怎么选{n}
            {t}上市的新车，{n}是亮点
            {n}与{m}的取舍
            {a}教你{v}
            冬天{n}缩水怎么办
        """),
        sentences=_lines("""
            这台车的{n}{q}，百公里加速{k}秒。
            {a}在{p}{v}，仪表显示剩余{c}公里。
            与老款相比，{n}重新设计，{m}也更{q}。
            {a}反映{n}有异响，门店检查后建议{v}。
            高速行驶时{n}{q}，只是{m}略硬。
            厂家给出的{n}质保是{c}年，{m}除外。
            {n}每{k}千公里保养一次，{a}可以自己动手。
            {p}里，{a}拆开{n}，发现问题出在{m}。
            新车配备{n}，入门版没有{m}。
            {a}认为，家用车先看{n}，再看价格。
            城市里开{n}省钱，跑长途要规划好充电。
            {t}销量榜上，{n}车型占了{k}席。
        """),
    ),
    "agriculture": Subject(
        columns=_words("农业 种植 养殖 农技 三农 农机 果蔬 粮食"),
        names=_words("田埂上 二十四节气 种子站 丰收网 农家院 土壤课 大棚里 一亩地"),
        things=_words(
            "水稻 小麦 玉米 化肥 大棚 种子 病虫害 灌溉 土壤 生猪 饲料 果树 农机 收割机 有机肥 产量 秧苗 合作社 农药 "
            "墒情 耕地 茶园 家禽 鱼塘"
        ),
        actors=_words("农户 农技员 合作社 种植大户 养殖户 村支书 收购商 农科院 返乡青年"),
        places=_words("田间 大棚 粮食产区 养殖场 果园 试验田 农产品市场"),
        deeds=_words("春耕备耕 喷洒农药 测土配方 引水灌溉 抢收小麦 修剪果树 轮作休耕 嫁接果苗 机插秧 防治蚜虫"),
        qualities=_words("长势良好 产量稳定 抗倒伏 价格走低 颗粒饱满 墒情适宜 亩产提高"),
        titles=_lines("""
            {r}{n}{q}
            {t}{n}管理要点
            {a}：今年{n}{q}
            {n}的{c}种常见病害
            {a}在{p}{v}
            {n}价格与{m}行情
            一位{a}的致富路
            {n}怎样{v}
        """),
        sentences=_lines("""
            {t}正是{n}管理的关键时期，{a}要抓紧{v}。
            {p}里的{n}{q}，预计亩产{k}百斤。
            {a}推广新品种以后，{n}{q}，用药少了{k}成。
            {n}发黄多半是{m}不足，{a}建议{v}。
            {r}今年{n}面积扩大，{a}担心{m}价格下跌。
            连续降雨使{n}受到影响，{a}组织人力{v}。
            {a}把{n}和{m}套种，一亩地多收{k}百元。
            {n}要薄施勤施，忌一次过量。
            在{p}，{a}用无人机{v}，半天就能完成{c}亩。
            收购商直接到{p}，{n}不愁卖。
            {a}学会了看{n}，再决定什么时候{v}。
            深翻{n}有利于保墒，来年{m}{q}。
        """),
    ),
    "culture": Subject(
        columns=_words("文化 读书 历史 艺术 电影 书画 戏曲 音乐"),
        names=_words("书架 旧时光 青瓷 戏台 纸上 放映室 墨痕 风物志"),
        things=_words(
            "小说 诗词 书法 电影 话剧 京剧 展览 国画 古籍 散文 瓷器 碑刻 剧本 乐团 民谣 演员 导演 非遗 年画 音乐会 手稿 "
            "出版社 读书会 文物"
        ),
        actors=_words("作家 导演 画家 读者 策展人 戏曲演员 收藏者 学者 评论家 观众"),
        places=_words("美术馆 剧场 旧书店 展厅 书房 音乐厅 片场"),
        deeds=_words("重读旧作 临摹碑帖 登台演出 修复古籍 举办个展 改编剧本 整理手稿 谱写新曲"),
        qualities=_words("意境深远 耐人寻味 文字朴素 技艺精湛 历久弥新 叙事克制 笔墨酣畅"),
        titles=_lines("""
            {n}里的{r}往事
            {a}{v}：{n}{q}
            读{n}有感
            {p}的{n}，{q}
            {a}谈{n}与{m}
            {t}的一场{n}
            {n}为何{q}
            被遗忘的{n}
        """),
        sentences=_lines("""
            {a}的{n}{q}，许多{a}为之动容。
            在{p}里，{a}用{c}年时间{v}。
            这部{n}取材于{r}的旧事，{q}。
            {n}和{m}本是同源，到了近代才分开。
            {a}说，写{n}最难的是克制。
            {t}的{p}座无虚席，{n}谢幕{k}次。
            从{n}的纸张看，应是{c}年前的旧物。
            {a}把{n}捐给了图书馆，只留下{m}。
            {n}{q}，第一遍往往读不出来。
            学者考证，{n}成书于一个动荡的年代。
            {a}重新{v}，让{n}走近年轻人。
        """),
    ),
    "society": Subject(
        columns=_words("社会 民生 时评 本地 生活 情感 公告 便民"),
        names=_words("街坊 晚报网 城事 茶余饭后 社区通 北窗 日常 小城大事"),
        things=_words(
            "社区 公交 垃圾分类 志愿者 天气 邻居 停水通知 婚礼 快递 老人 孩子 热线 派出所 路灯 广场舞 菜价 公园 雨伞 "
            "失物 加班 同学聚会 宠物 时间 工资"
        ),
        actors=_words("居民 社区干部 记者 志愿者 网友 民警 快递员 年轻人 环卫工人 退休教师"),
        places=_words("街道办 小区门口 公交站 菜场 广场 居委会 路口"),
        deeds=_words("调解纠纷 送去温暖 反映问题 帮忙寻人 清扫积雪 维修路灯 排队缴费 换乘地铁 登门道歉"),
        qualities=_words("让人感动 引发热议 得到解决 众说纷纭 井然有序 有待改善"),
        titles=_lines("""
            {p}的{n}问题{q}
            {a}{v}，{q}
            {t}起{n}有调整
            {r}{a}为{n}奔走
            关于{n}的通知
            {n}的一天
            {a}来信：{n}{q}
        """),
        sentences=_lines("""
            {t}，{a}在{p}{v}，{q}。
            {r}一位{a}告诉记者，{n}的事{q}。
            {a}打来热线，反映{n}和{m}的问题。
            连日下雨，{p}积水，{a}自发{v}。
            {n}涨了{k}角，{a}觉得还能接受。
            {a}们在{p}聊起{n}，{q}。
            这件小事{q}，转发超过{c}万次。
            从{t}开始，{n}改在{p}办理。
            {a}说，日子就是{n}和{m}，平平淡淡。
            {n}丢了三天，最后由{a}送回。
        """),
    ),
}

FILLER = _lines("""
    事情并不像说起来那样简单，但总要有人去做。
    {w}对此有自己的看法，他说还要再等一等。
    {t}的{r}，天气比往年冷一些。
    当然，每个人的情况不同，以上内容仅供参考。
    据了解，这已经是今年以来的第{k}次。
    说到这里，{w}笑了笑，没有再往下讲。
    记者{w}从有关方面获悉，具体办法还在研究。
    回头看这{c}年，变化是一点一点发生的。
    有什么想法，欢迎在文章后面留言。
    这样的例子在{r}并不少见。
    {w}翻出当时的照片，日期停在{t}。
    不过，问题的关键不在这里。
    最后要提醒的是，凡事都有例外。
    时间过得很快，转眼已经{c}个月。
""")
MISLEADING = _words("旅游 旅游频道 景点门票 旅游服务 特价机票")
TIMES = _words("上周末 今年春天 五月初 国庆期间 去年冬天 近日 本月中旬 周三上午 暑假里 前天傍晚 入秋以后 元旦前后")
REGIONS = _words("杭州 成都 西安 沈阳 昆明 长沙 济南 合肥 兰州 福州 南宁 郑州 苏州 洛阳 绍兴 宜昌 泉州 大同 保定 赣州")
PEOPLE = _words("老张 李女士 王师傅 小陈 周先生 刘阿姨 赵工 孙同学 吴大姐 郑伯 何老师 小许")
SURNAMES = "赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨"
GIVEN = "明芳伟静强丽军洋艳勇娟涛超霞平刚桂英华文"

ENGLISH = {
    "tourism": Subject(
        columns=_words("Travel Trips Destinations Itineraries Guides"),
        names=("Slow Roads", "Two Backpacks", "Harbour and Hill", "The Long Way Round"),
        things=(
            "the old harbour",
            "the hill temple",
            "a mountain hut",
            "the night market",
            "the coastal path",
            "the castle ruins",
            "the ferry",
            "the guesthouse",
            "the lake shore",
            "the waterfall trail",
            "the museum island",
            "the viewpoint",
        ),
        actors=("tourists", "backpackers", "local guides", "day-trippers", "hikers", "the tour operator", "visitors"),
        places=("Lisbon", "the Dolomites", "Kyoto", "the Scottish Highlands", "Yunnan", "the Aegean islands", "Guilin"),
        deeds=(
            "take the early ferry",
            "walk the ridge at sunrise",
            "book rooms in advance",
            "rent a small car",
            "join a guided tour",
            "skip the tourist menus",
            "swim in the cold lake",
        ),
        qualities=(
            "worth the detour",
            "crowded in summer",
            "quiet out of season",
            "easy to reach by train",
            "breathtaking at dusk",
        ),
        titles=(
            "Three days in {p}: {n} and {m}",
            "How to see {n} in {p} without the crowds",
            "A first trip to {p}: where to stay",
            "Why {n} is {q}",
            "{p} by train, a travel diary",
        ),
        sentences=(
            "We reached {p} after dark and saw {n} only the next morning.",
            "Most {a} {v} and then walk on to {n}.",
            "From {n} it is {c} kilometres to {m}, and the path is {q}.",
            "If you have one day left, {v} and visit {n}.",
            "The itinerary leaves time for {n} and for {m}.",
            "In {p}, {a} told us that {n} is {q}.",
            "Tickets for {n} cost {c} euros and sell out early in the holidays.",
            "Our guidebook called {n} {q}, and for once it was right.",
        ),
    ),
    "technology": Subject(
        columns=_words("Technology Code Hardware Systems Notes"),
        names=("Stack Notes", "Null Terminated", "Bits and Boards", "The Build Log"),
        things=(
            "the compiler",
            "the cache",
            "a small database",
            "the kernel patch",
            "the build server",
            "the network stack",
            "the language model",
            "the test suite",
            "the garbage collector",
            "the message queue",
        ),
        actors=("developers", "maintainers", "engineers", "users", "the security team", "operators"),
        places=("production", "the data centre", "the staging cluster", "the repository", "the lab"),
        deeds=(
            "profile the code",
            "rewrite the parser",
            "roll back the release",
            "add an index",
            "pin the version",
            "split the service",
        ),
        qualities=("faster than before", "hard to debug", "memory-bound", "well documented", "still experimental"),
        titles=("Debugging {n} in {p}", "{n} is {q}", "When {a} {v}", "Notes on {n} and {m}", "Release notes: {n}"),
        sentences=(
            "After the update, {n} is {q} and uses {c} percent less memory.",
            "In {p}, {a} had to {v} twice.",
            "The bug was not in {n} but in {m}.",
            "It takes {c} milliseconds to start {n}.",
            "Some {a} prefer {m}, which is {q}.",
            "To reproduce it, {v} and then restart {n}.",
            "We measured {n} against {m} on the same machine.",
        ),
    ),
    "sport": Subject(
        columns=_words("Sport Football Running Results Training"),
        names=("Second Half", "The Far Post", "Mile Markers", "Away Days"),
        things=(
            "the cup final",
            "the league table",
            "the marathon",
            "a penalty",
            "the second half",
            "the relay",
            "the training camp",
            "the transfer",
        ),
        actors=(
            "the captain",
            "the home fans",
            "the goalkeeper",
            "young runners",
            "the coaching staff",
            "the visitors' defence",
        ),
        places=("the stadium", "the training ground", "the finish line", "the away end"),
        deeds=("equalise late", "defend deep", "press high", "set a personal best", "win the sprint"),
        qualities=("hard fought", "one-sided", "decided in extra time", "the best of the season"),
        titles=("{a} {v} in {p}", "Match report: {n} was {q}", "What {n} means for {a}", "Training notes: {n} and {m}"),
        sentences=(
            "In minute {c}, {a} managed to {v}.",
            "It was {q}, and {n} will be remembered for it.",
            "At {p}, {a} waited for {n}.",
            "The coach said {n} mattered less than {m}.",
            "With {c} points from six games, {a} lead {n}.",
        ),
    ),
    "finance": Subject(
        columns=_words("Finance Markets Money Rates Business"),
        names=("Basis Points", "The Ledger", "Closing Bell", "Plain Money"),
        things=(
            "the bond market",
            "the interest rate",
            "quarterly earnings",
            "the index",
            "the pension fund",
            "the exchange rate",
            "travel stocks",
            "the dividend",
        ),
        actors=("investors", "analysts", "the central bank", "fund managers", "the board"),
        places=("the stock exchange", "the money market", "the annual meeting"),
        deeds=("cut the rate", "raise its forecast", "sell bonds", "buy back shares", "hold cash"),
        qualities=("higher than expected", "flat for the week", "under pressure", "overvalued"),
        titles=("{n} {q} as {a} wait", "Why {a} may {v}", "{n} and {m} explained", "The week: {n} is {q}"),
        sentences=(
            "By the close, {n} was {q}.",
            "Most {a} expect the board to {v} within {c} months.",
            "Returns from {n} lag behind {m} by {c} percent.",
            "At {p}, {a} asked about {n}.",
            "When {n} is {q}, {a} tend to {v}.",
        ),
    ),
}
FILLER_ENGLISH = (
    "Of course, every case is a little different.",
    "That was {c} years ago.",
    "More on this another time.",
    "As always, comments are welcome below.",
    "It did not go as planned.",
    "There is a longer story behind this.",
    "The details are still being worked out.",
    "We will come back to this question later.",
)
