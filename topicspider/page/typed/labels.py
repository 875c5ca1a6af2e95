"""The words that label a field on a page (书名, 出版社, 电话, Publisher, Brand …) and the field that each of them names."""

from __future__ import annotations

import re

_SPELLED = re.compile(r"[\s.\-/_·•*#'’()（）\u200e\u200f]+")

_WORDS = {
    "title": "书名 图书名称 书籍名称 题名 正题名 书目名称 書名 題名 正題名 书刊名 booktitle",
    "author": "作者 著者 作者名 作者姓名 责任者 著作者 編著者 编著者 原著作者 责任者 責任者 author authors writtenby authorname authorauthors",
    "translator": "译者 譯者 翻译 翻譯 translator translators translatedby",
    "publisher": "出版社 出版者 出版单位 出版公司 出版社名称 出版机构 出版发行 出版發行 出版單位 出版社名稱 出版方 publisher publishedby imprint publisherimprint",
    "published": "出版时间 出版日期 出版年 出版年月 出版年份 出版時間 首版时间 出版日 publicationdate publishdate datepublished published pubdate firstpublished "
    "publicationyear yearofpublication publishedon dateofpublication publishingdate",
    "year": "year releasedate date",
    "isbn": "isbn isbn13 isbn10 isbn号 isbn號 isbn编号 isbnean 书号 書號 标准书号 国际标准书号 國際標準書號 国际书号 国际标准书号isbn isbn书号 ean13isbn ean",
    "pages": "页数 頁數 总页数 總頁數 页码数 pages numberofpages pagecount printlength nofpages noofpages",
    "price": "售价 现价 价格 单价 促销价 优惠价 优惠价格 会员价 会员价格 特价 活动价 销售价 销售价格 网购价 本店价 商城价 商品价格 产品价格 参考价格 出售价格 报价 "
    "抢购价 团购价 到手价 批发价 网上价 零售价 售價 現價 價格 單價 促銷價 優惠價 優惠價格 會員價 活動價 銷售價 網路價 商品價格 產品價格 批發價 零售價 "
    "price ourprice saleprice unitprice specialprice yourprice currentprice onlineprice salesprice pricefrom now fobprice",
    "list_price": "定价 原价 市场价 市场价格 市价 参考价 建议售价 吊牌价 图书定价 书价 定價 原價 市價 市場價 門市價 建議售價 參考價 listprice rrp msrp was retailprice "
    "regularprice originalprice coverprice",
    "company": "公司名称 企业名称 单位名称 公司 单位 厂名 机构名称 商户名称 公司全称 企业全称 公司名 企业名 单位全称 酒店名称 公司名稱 企業名稱 單位名稱 廠商名稱 機構名稱 "
    "公司全名 companyname company businessname organization organisation organizationname firmname nameofcompany nameoffirm hotelname",
    "seller": "供应商 供应商名称 卖家 商家 经销商 厂家 供货商 供货单位 店铺 店铺名称 商家名称 发布公司 供應商 賣家 商家名稱 廠商 供貨商 經銷商 店鋪 seller soldby supplier vendor "
    "merchant dealer suppliername sellername storename distributor",
    "contact": "联系人 联络人 业务联系人 负责人 联系人姓名 聯絡人 聯繫人 聯系人 負責人 contactperson contactname contact attn personincharge",
    "phone": "电话 联系电话 公司电话 固定电话 座机 咨询电话 订购电话 服务热线 热线 销售热线 客服电话 总机 联系方式 电话号码 咨询热线 热线电话 服务电话 业务电话 销售电话 预订电话 "
    "订房电话 订票电话 商家电话 办公电话 全国热线 免费电话 客服热线 联系热线 固话 電話 聯絡電話 聯繫電話 公司電話 連絡電話 服務電話 電話號碼 訂房電話 客服電話 客服專線 洽詢電話 服務專線 "
    "tel phone telephone phonenumber telephonenumber telno phoneno contactnumber telephoneno call officephone phonetel mainphone hotline tollfree businessphone contactno",
    "mobile": "手机 移动电话 手机号码 手机号 联系手机 手機 行動電話 手機號碼 mobile cell cellphone mobilephone mobilenumber mob",
    "fax": "传真 公司传真 传真号码 传真电话 联系传真 傳真 公司傳真 傳真號碼 fax faxnumber faxno facsimile",
    "email": "邮箱 电子邮箱 电子邮件 邮件 邮件地址 公司邮箱 联系邮箱 邮箱地址 电邮 电子信箱 信箱 電子郵件 電子信箱 郵箱 電郵 公司信箱 email emailaddress mail emailus mailbox contactemail",
    "address": "地址 公司地址 联系地址 详细地址 办公地址 厂址 单位地址 通讯地址 通信地址 经营地址 注册地址 公司地点 所在地址 企业地址 酒店地址 商家地址 店铺地址 工厂地址 总部地址 "
    "詳細地址 聯絡地址 聯繫地址 通訊地址 營業地址 公司住址 辦公地址 廠址 註冊地址 住所 address streetaddress officeaddress companyaddress mailingaddress postaladdress "
    "businessaddress headoffice addr contactaddress",
    "postcode": "邮编 邮政编码 邮码 郵遞區號 郵編 郵政編碼 postalcode postcode zip zipcode zippostalcode postalzipcode",
    "website": "网址 网站 公司网址 公司主页 主页 官网 企业网站 网站地址 公司网站 官方网站 企业主页 企业网址 網址 網站 公司網址 官網 官方網站 公司網站 網站網址 website web homepage url "
    "companywebsite websiteurl webaddress internet",
    "name": "产品名称 商品名称 品名 商品名 产品名 货品名称 商品标题 產品名稱 商品名稱 商品名 productname itemname nameofproduct producttitle product",
    "label": "名称 名稱 name title 标题 標題",
    "brand": "品牌 商标 品牌名称 商品品牌 产品品牌 商標 品牌名稱 brand brandname",
    "model": "型号 产品型号 规格型号 商品型号 型号规格 货品型号 型號 產品型號 規格型號 商品型號 model modelnumber modelno itemmodelnumber modelname mpn",
    "sku": "货号 商品编号 产品编号 商品编码 商品货号 产品货号 商品id 产品编码 商品号 貨號 商品編號 產品編號 料號 商品編碼 商品貨號 sku itemnumber productcode itemno itemcode "
    "partnumber productid skunumber articlenumber productnumber articleno partno stockcode",
    "source": "来源 文章来源 稿源 信息来源 新闻来源 稿件来源 消息来源 来源于 資料來源 來源 文章來源 新聞來源 稿源 稿件來源 source newssource",
    "reporter": "记者 本报记者 本网记者 撰稿 撰文 撰稿人 文字 采写 作者 記者 文字記者 撰稿人 撰文 採訪 reporter byline",
    "": "开本 装帧 字数 版次 包装 语种 语言 丛书 丛书名 系列 纸张 库存 运费 数量 重量 人气 编辑 责任编辑 责编 浏览 点击 阅读 评论 字号 分类 标签 关键词 关键字 更新时间 发布时间 发布日期 发表时间 "
    "时间 日期 上架时间 产地 原产地 规格 材质 颜色 尺寸 保质期 容量 适用 单位 起订 供货总量 发货 所在地 行业 经营模式 经营范围 主营 主营产品 主营业务 企业类型 公司类型 注册资本 成立时间 成立日期 法人 "
    "法定代表人 员工人数 营业时间 营业执照 职位 职务 部门 交通 评分 评价 累计评价 销量 月销量 保修 生产厂家 制造商 生产商 加工定制 qq 微信 公众号 旺旺 分享到 点击数 浏览次数 阅读数 副标题 原作名 外文名 英文名 "
    "语言版本 編輯 瀏覽 點閱 發布時間 發佈時間 發布日期 語言 語言版本 裝訂 規格 產地 材質 顏色 尺寸 重量 庫存 數量 運費 營業時間 負責編輯 出版地 館藏地 狀態 主題 分類 標籤 叢書 系列 版次 適讀年齡 "
    "統一編號 資本額 成立時間 主要產品 經營項目 人氣 language format dimensions weight binding series edition genre category categories tags subject subjects callnumber availability "
    "warranty color colour size material condition quantity shipping stock rating openinghours hours businesstype mainproducts established location country city state "
    "postedin postedon filedunder comments views by posted updated editor photographer manufacturer countryoforigin department position skype whatsapp wechat",
}

LABELS: dict[str, str] = {}
"""Label, spelled without blanks and marks in lower case, to field; "" for labels of what is no field: they end the value before them."""
for _field, _spelled in _WORDS.items():
    for _word in _spelled.split():
        LABELS.setdefault(_word, _field)

STARTS = frozenset(label[:count] for label in LABELS for count in (2, 3))
"""How labels begin: the first two characters, and the first three."""
LONGEST = 20
"""Characters of the longest label."""
_OWN_PRICE = re.compile(r"[\u3400-\u9fff]{1,4}[价價]")
_NO_PRICE = re.compile(
    r"评价|評價|性价|性價|估价|估價|议价|議價|物价|物價|竞价|競價|电价|房价|油价|股价|差价|降价|涨价|特价$|询价|詢價|均价"
)


def spelled(text: str) -> str:
    """A label without blanks and marks, in lower case."""
    return _SPELLED.sub("", text[:60]).lower()


def field_of(label: str) -> str | None:
    """The field that a whole spelled label names, "" for a known label of something else, None for what is no known label.

    Shops name their price after themselves (本店价, 某某价).
    """
    field = LABELS.get(label)
    if field is None and label[-1:] in ("价", "價") and _OWN_PRICE.fullmatch(label) and not _NO_PRICE.search(label):
        return "price"
    return field
