"""Our own sentences in a chat, in every language we speak: one table."""

from types import MappingProxyType
from typing import Final

LANGUAGES: Final = ("en", "zh")

TEXTS: Final = MappingProxyType(
    {
        "working": ("⏳ Working on it…", "⏳ 正在处理…"),
        "queued": (
            "🕒 Queued: an earlier message in this conversation is still being answered.",
            "🕒 已排队：本会话中更早的消息仍在处理。",
        ),
        "backlog_full": (
            (
                "This conversation already has {count} messages waiting; I did not take this one. "
                "Please send it again later, or use /stop."
            ),
            "本会话已有 {count} 条消息在等待，这一条未被接收。请稍后重发，或使用 /stop。",
        ),
        "busy_rejected": (
            "I am still answering an earlier message here, so I did not take this one.",
            "我仍在回答更早的消息，这一条未被接收。",
        ),
        "rate_capped": (
            "Too many messages here in a short time; I pause for a minute.",
            "短时间内消息过多，我暂停一分钟。",
        ),
        "agent_down": (
            "The agent cannot be reached right now. I keep trying; you need not send it again.",
            "暂时无法连接智能体，我会继续重试，无需重发。",
        ),
        "gave_up": (
            (
                "The agent could not be reached for a long time, so I gave up on this message. "
                "The operator can put it back."
            ),
            "长时间无法连接智能体，已放弃处理这条消息。运维人员可以将其恢复。",
        ),
        "agent_rejected": (
            "The agent refused this request. Its operator has to look at the configuration.",
            "智能体拒绝了该请求，需要运维人员检查配置。",
        ),
        "run_failed": (
            "Something went wrong while answering. Please try again.",
            "处理时出错，请重试。",
        ),
        "run_partial": (
            "⚠️ The answer broke off here.",
            "⚠️ 回答在此中断。",
        ),
        "run_silent": (
            "The agent finished without an answer.",
            "智能体已结束，但没有给出回答。",
        ),
        "run_vanished": (
            "The agent lost this run before it answered. Please send your message again.",
            "智能体在回答前丢失了本次运行，请重新发送。",
        ),
        "thread_vanished": (
            "The agent no longer remembers this conversation; I started it anew.",
            "智能体已不记得本会话，已重新开始。",
        ),
        "time_limit": (
            "The answer took longer than allowed and was stopped.",
            "回答超过了时间限制，已停止。",
        ),
        "stopped": ("⏹ Stopped.", "⏹ 已停止。"),
        "nothing_to_stop": ("Nothing is running here.", "当前没有正在运行的任务。"),
        "withheld": (
            "Part of the answer was internal to the agent and is not shown.",
            "回答中有一部分属于智能体内部内容，未予显示。",
        ),
        "content_refused": (
            "The platform does not let this answer through as it is.",
            "平台未允许发送这条回答的内容。",
        ),
        "new": (
            "A new conversation starts here.",
            "新的会话从这里开始。",
        ),
        "new_dropped": (
            "A new conversation starts here; {count} waiting messages were dropped.",
            "新的会话从这里开始；已丢弃 {count} 条等待中的消息。",
        ),
        "status_idle": (
            "Nothing is running here. Thread: {thread}",
            "当前没有正在运行的任务。线程：{thread}",
        ),
        "status_busy": (
            "State: {state}; waiting messages: {count}. Thread: {thread}",
            "状态：{state}；等待中的消息：{count}。线程：{thread}",
        ),
        "no_conversation": ("no conversation yet", "尚无会话"),
        "not_offered": (
            "This agent does not offer /{command}.",
            "该智能体不提供 /{command}。",
        ),
        "unknown_command": (
            "I do not know /{command}. {help}",
            "未知命令 /{command}。{help}",
        ),
        "command_failed": (
            "The agent did not answer /{command} just now. Please try again.",
            "智能体暂时没有响应 /{command}，请重试。",
        ),
        "help": (
            "Commands: /help /status /new /stop /models /memory /goal /bootstrap",
            "命令：/help /status /new /stop /models /memory /goal /bootstrap",
        ),
        "welcome": (
            "You are in. Send a message and the agent answers. /help lists the commands.",
            "已获准使用。发送消息即可得到回答，/help 查看命令。",
        ),
        "code_invalid": (
            "That code is not valid (any more). Ask the operator for a new one.",
            "该口令无效或已过期，请向运维人员索取新口令。",
        ),
        "no_binding": (
            "I am not set up for this place. Ask the operator of this bot to do it.",
            "我尚未在此处启用，请联系机器人的运维人员。",
        ),
        "not_allowed": (
            "I may not talk to you yet. Ask the operator of this bot to let you in.",
            "你尚未获准使用，请联系机器人的运维人员。",
        ),
        "not_taken": (
            (
                "I could not take this message because of a fault on my side; its operator can put "
                "it back."
            ),
            "由于我方故障，这条消息未能处理；运维人员可以将其恢复。",
        ),
        "paused": (
            "I am paused at the moment. Ask the operator of this bot when I am back.",
            "我目前已暂停，请联系机器人的运维人员。",
        ),
        "owner_changed": (
            "This conversation now belongs to another account, so it starts anew.",
            "本会话现属于另一个账户，已重新开始。",
        ),
        "thread_owned_elsewhere": (
            "The thread of this conversation belongs to another account of the agent.",
            "本会话的线程属于智能体的另一个账户。",
        ),
        "question_waits": (
            (
                "I am waiting for an answer to my question above; your message is queued. "
                "/stop drops the question."
            ),
            "我正在等待对上面问题的回答；你的消息已排队。/stop 可放弃该问题。",
        ),
        "press_late": (
            (
                "That question is closed: it was answered, expired or was dropped. "
                "Please write a message instead."
            ),
            "该问题已结束：已被回答、已过期或已放弃。请直接发送消息。",
        ),
        "press_not_yours": (
            "That question waits for the answer of the person who was asked.",
            "该问题正在等待被提问者的回答。",
        ),
        "question_expired": (
            "My question above has expired.",
            "上面的问题已过期。",
        ),
        "window_closed": (
            "The platform no longer lets me answer that message.",
            "平台已不允许回复那条消息。",
        ),
        "file_failed": (
            "[{name}: could not be read ({reason})]",
            "[{name}：无法读取（{reason}）]",
        ),
        "edited": ("(edited) {text}", "（已编辑）{text}"),
        "speaker": ("{name}: {text}", "{name}：{text}"),
        "too_long": (
            "The answer is longer than can be shown here; the rest is left out.",
            "回答过长，其余部分未予显示。",
        ),
        "waits_elsewhere": (
            "Something else is running on this conversation's thread; your turn comes after it.",
            "本会话的线程上有其他任务在运行，完成后即轮到你。",
        ),
        "dropped": ("✖ Dropped.", "✖ 已丢弃。"),
        "file_not_sent": (
            "{name} could not be sent: {reason}.",
            "{name} 未能发送：{reason}。",
        ),
        "file_large": ("it is larger than {limit} MB", "超过 {limit} MB"),
        "file_slow": ("the agent took too long", "智能体响应过慢"),
        "file_gone": ("the agent does not have it", "智能体中没有该文件"),
        "file_empty": ("it is empty", "文件为空"),
        "file_withheld": ("the agent did not hand it out", "智能体未提供该文件"),
        "file_not_taken": ("the platform did not take it", "平台未接收"),
        "file_unsure": (
            "{name} may not have been sent: the platform did not say.",
            "{name} 可能未发送成功：平台未确认。",
        ),
        "files": ("Files: {names}", "文件：{names}"),
    }
)


def say(key: str, language: str, **values: str | int) -> str:
    """Give one of our sentences; an unknown language is English."""
    index = LANGUAGES.index(language) if language in LANGUAGES else 0
    return TEXTS[key][index].format(**values)
