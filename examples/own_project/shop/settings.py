BOT_NAME = "shop"
SPIDER_MODULES = ["shop.spiders"]
ADDONS = {"topicspider.addon.TopicSpiderAddon": 100}
TOPICSPIDER_TOPIC = "tourism"
ITEM_PIPELINES = {"shop.pipelines.OnTopicPipeline": 400}
