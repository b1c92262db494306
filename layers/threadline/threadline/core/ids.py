"""Opaque names: only the code that made one may take it apart."""

from typing import NewType

PlatformName = NewType("PlatformName", str)
AppName = NewType("AppName", str)
AgentName = NewType("AgentName", str)
BindingName = NewType("BindingName", str)
DeliveryId = NewType("DeliveryId", str)
MessageId = NewType("MessageId", str)
MailboxKey = NewType("MailboxKey", str)
ConversationKey = NewType("ConversationKey", str)
TurnId = NewType("TurnId", str)
ThreadId = NewType("ThreadId", str)
RunId = NewType("RunId", str)
OwnerId = NewType("OwnerId", str)
