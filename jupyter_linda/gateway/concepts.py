"""Words of notebook work, in English and Chinese, gathered under one concept each."""

from __future__ import annotations

import re

_ENGLISH: dict[str, str] = {
    "run": r"re-?runs?|runs?|running|ran|exec|execut(?:e|es|ed|ing)|re-execute|eval(?:uate)?|fire|kick off"
    r"|shift-?enter"
    r"|compute|rn",
    "start": r"start|begin|launch|play|try|test|process|go through",
    "cell": r"cells?|(?:code )?blocks?|cel|snippet",
    "notebook": r"note ?books?|nbs?|ipynbs?|notbooks?|\ue002",
    "open": r"open(?:ed|ing)?|opn|pull(?: \w+)? up|bring(?: \w+)? (?:up|to the front)|load(?: up)?|go to"
    r"|switch (?:over )?to"
    r"|jump to|take me to|navigate to|hop over|launch",
    "read": r"reads?|show(?:ing)?|shwo|display|print|view|see|look(?:s| at| like)?|cat|inspect|check|peek|get"
    r"|give me|quote|tell me",
    "content": r"contents?|contains?|inside|source|written|says?|what'?s in|whats in|what is in|what does",
    "output": r"outputs?|results?|prints?|printed|returned?|comes? out|came out",
    "list": r"lists?|ls|dir|enumerate|lst|names of",
    "which": r"which|what|any|how many|whats|what's",
    "exist": r"are there|do i have|do we have|exist|available|have i|i have|i've got|got",
    "add": r"add|ad|insert|insrt|append|slip|pop|tack|squeeze|fresh|include|put|create|make|new|drop in|paste"
    r"|stick|throw|type|place|write",
    "variable": r"variables?|vars?|varaibles|names|objects?|namespace|memory|workspace|globals|whos|defined|session",
    "value": r"value of|equal to|set to|what type",
    "frame": r"data ?frames?|datafrmae|df|\ue005|tables?|data ?sets?",
    "shape": r"columns?|cols?|rows?|dtypes?|shape|schema|nulls?|nans?|missing values?|fields|size|stats"
    r"|statistics|profile"
    r"|how big|how large",
    "describe": r"describe|decribe|descibe|summar(?:y|ise|ize)|overview|profile|info|about|description|outline",
    "find": r"find|fnd|search(?:es|ing)?|serch|grep|look(?:ing)? for|look up|looking|locate|scan|occurrences?"
    r"|mentions?|uses? of|hunt"
    r"|track down|dig|pinpoint|comb|ctrl-f",
    "where": r"where|in which|which (?:of my )?(?:files?|notebooks?|scripts?)",
    "use": r"uses?|used|using|mention(?:s|ed|ing)?|calls?|called|defined?|import(?:s|ed|ing)?|has|talk about"
    r"|anywhere|contain(?:s|ing)?"
    r"|shows? up|appears?|occurs?|comes? up|references?",
    "file": r"files?|fiels|scripts?|folders?|director(?:y|ies)|dir|project|codebase|repo|csv|\ue003|code",
    "howto": r"how (?:do|can|to|would|does|should|come)|best way|difference|why|explain|when should|what is an?"
    r"|what are"
    r"|does .* mean|teach|understand|shortcut|which key|possible|supports?",
    "coding": r"functions?|scripts?|class|program|sql|regex|algorithm|unit tests?|docstrings?|that (?:sorts"
    r"|reads|computes|plots|does)",
    "delete": r"delet(?:e|ed)|remov(?:e|ed)|eras(?:e|ed)|clear|wipe|get rid of|drop",
    "mend": r"fix|debug|refactor|optimi[sz]e|improve|correct|repair|clean|faster|bug|mistake|errors?",
    "edit": r"change|replace|edit|modify|update|rewrite|rename|move|copy|duplicate|convert|split|merge|set|swap|undo",
    "plot": r"plots?|charts?|graphs?|visuali[sz]e|histograms?|draw|dashboard|picture",
    "schedule": r"schedul\w*|every (?:day|morning|hour|monday|week|night)|remind\w*|email|send|automate|tomorrow",
    "kernel": r"restart|kernels?|interrupt|stop|shut ?down|kill",
    "package": r"install|pip|conda|upgrade|uninstall",
    "save": r"save|export|download|upload|commit|push|share",
    "learn": r"train|fit|predict|model|classifier|regression|correlation|mean of|average|median|sum of|max",
    "all": r"all|every|everything|whole|entire",
    "not": r"don'?t|do not|never|without|cannot|can't|no",
    "please": r"please|pls|plz|can you|could you|would you|kindly|i'?d like|i want|let me|let's|need",
    "this": r"this|current|selected|active|it|that",
    "place": r"last|top|bottom|end|below|above|under|after|before|beginning|\ue004",
    "me": r"my|i'?m|i|me",
    "you": r"you|your|u",
    "past": r"already|yesterday|just|finally|was|were",
}
_CHINESE: dict[str, str] = {
    "run": r"运行|执行|跑|重跑|行[第多一次]|再行|计算一下",
    "start": r"启动|开始|开跑|试|再来一次|走一遍",
    "cell": r"单元格|格子|单元|代码[块格框段]|区块|输入框|方格|储存格|这一?格|呢格|第?[\ue004一]格|末尾那格"
    r"|最后[一那]?[个]?格|那格"
    r"|多一格|一格",
    "notebook": r"笔记本|笔记(?!本电脑)|本子|那本",
    "open": r"打开|开一下|切换?到|跳到|转到|调出|开启|开个|^开|载入|加载|我开|想开",
    "read": r"读|看|显示|展示|打印|列印|念|查看|睇|查|翻|发我|浏览|过一遍",
    "content": r"内容|写[了咗]?(?:什么|啥|咩)|里面?(?:是|有)(?:什么|啥)|源码|源代码|是[什么啥]|系咩",
    "output": r"输出|结果|打印了|跑出来|报错",
    "list": r"列出|列一?[下晒个]?|清单|列表|一览|有哪些",
    "which": r"哪些|什么|啥|几个|多少|有咩|咩|边啲|有没有|有无|哪几个",
    "exist": r"有哪|有什么|有啥|都有|有多少|有几|有没有|有无|有咩|有.*吗",
    "add": r"插入|建立|插|新增|新建|新开|加|添加|增加|追加|塞|写入|写上|放|补|创建|弄一个|新",
    "variable": r"变量|变数|内存|定义|命名空间|对象|工作区|环境",
    "value": r"的值|等于|变量.*类型",
    "frame": r"数据[框帧集表]|表格?|资料[框集表]|\ue005",
    "shape": r"行数|列数|[几多少]+行|[几多少]+列|多行|哪些列|几条|字段|列名|空值|缺失|形状|记录|栏位|有咩列"
    r"|每一列|规模|多大",
    "describe": r"描述|概览|概况|概括|概述|摘要|统计|介绍|情况|信息|长什么样|什么样|结构|总结|大纲|讲讲|说说|了解",
    "find": r"查找|搜索|搜寻|搜|找|检索|揾|查一下|查查|定位|全文",
    "where": r"哪个文件|哪里|哪儿|在哪|边度|边个文件|哪些(?:文件|笔记本|地方)|什么地方",
    "use": r"用到|引入|引用|涉及|使用位置|用了|用过|使用|提到|包含|出现|含有|导入|调用|定义|用咗|写过",
    "file": r"文件夹?|资料夹|目录|项目|工程|档案|代码里|数据文件",
    "howto": r"怎么|如何|怎样|咋|为什么|为啥|解释|区别|什么意思|什么是|教我|快捷键|讲解|点样|点解|看不懂|不懂"
    r"|不明白|支持",
    "coding": r"函数|脚本|程式|程序|算法|爬虫|单元测试|正则|写代码|写一?段|编写",
    "delete": r"删|清空|清除|清掉|移除|去掉",
    "mend": r"修复|修|调试|优化|改进|重构|纠正|整理|bug|错误|润色",
    "edit": r"改成|修改|替换|重命名|移动|编辑|复制|拷贝|合并|拆分|改为|改名|改|转成|换成|撤销",
    "plot": r"画|图|可视化|绘",
    "schedule": r"每天|定时|提醒|邮件|发送|发给|每周|每小时|安排|明天",
    "kernel": r"重启|内核|中断|停止|终止|停",
    "package": r"安装|卸载|升级|装一下",
    "save": r"保存|导出|下载|上传|转换|提交|分享",
    "learn": r"训练|预测|模型|拟合|平均|总和|中位数|相关|最大值",
    "all": r"所有|全部|整个|每个|全",
    "not": r"别|不要|不用|不许|唔好|没有",
    "please": r"帮我|请|麻烦|能不能|给我|想|要|唔该",
    "this": r"这个|当前|选中|它|光标|这一?格|呢",
    "place": r"最后|末尾|最下面|最上面|开头|下面|上面|后面|之后|之前|前面|\ue004|尾",
    "me": r"我",
    "you": r"你",
    "past": r"已经|昨天|刚刚?|过了|了$",
}


def _pattern(concept: str) -> re.Pattern[str]:
    english = rf"(?<![a-z])(?:{_ENGLISH[concept]})(?![a-z])"
    return re.compile(f"{english}|{_CHINESE[concept]}")


_PATTERNS = {concept: _pattern(concept) for concept in _ENGLISH}
_BREAK = re.compile(r"(?<=[\u4e00-\u9fff])\s+(?=[\u4e00-\u9fff])")


def concepts(masked_text: str) -> list[str]:
    """The concepts of a masked text, each once, in the order they first appear."""
    text = _BREAK.sub("", masked_text)
    found = [(match.start(), concept) for concept, pattern in _PATTERNS.items() if (match := pattern.search(text))]
    return [concept for _, concept in sorted(found)]
