# A pizza bot of the Python SDK: one turn for each text on its command line, with state in Blob
# Storage. Reads what it needs from the variables CONNECTION, CONTAINER, CONVERSATION and USER_ID;
# prints the replies as JSON.
import asyncio
import json
import os
import sys

from botbuilder.azure import BlobStorage, BlobStorageSettings
from botbuilder.core import BotAdapter, ConversationState, TurnContext, UserState
from botbuilder.schema import Activity, ChannelAccount, ConversationAccount, ResourceResponse


class Profile:
    """An object of a class of its own: the SDK writes the name of the class into the state."""

    def __init__(self):
        self.name = "Zoë"
        self.visits = 0

    def visited(self):
        self.visits += 1
        return f"{self.name} ({self.visits})"


class Collecting(BotAdapter):
    def __init__(self):
        super().__init__()
        self.replies = []

    async def send_activities(self, context, activities):
        self.replies.extend(activity.text for activity in activities)
        return [ResourceResponse(id=str(index)) for index, _ in enumerate(activities)]

    async def update_activity(self, context, activity):
        raise NotImplementedError

    async def delete_activity(self, context, reference):
        raise NotImplementedError


async def main():
    storage = BlobStorage(
        BlobStorageSettings(container_name=os.environ["CONTAINER"], connection_string=os.environ["CONNECTION"])
    )
    conversation, user = ConversationState(storage), UserState(storage)
    order, profile = conversation.create_property("order"), user.create_property("profile")
    adapter = Collecting()

    async def turn(context):
        now = await order.get(context, lambda: {"toppings": []})
        who = await profile.get(context, Profile)
        now["toppings"].append(context.activity.text)
        await context.send_activity(f"{who.visited()}: {', '.join(now['toppings'])}")
        await conversation.save_changes(context)
        await user.save_changes(context)

    for text in sys.argv[1:]:
        activity = Activity(
            type="message",
            text=text,
            channel_id="test",
            service_url="https://example.org",
            conversation=ConversationAccount(id=os.environ["CONVERSATION"]),
            from_property=ChannelAccount(id=os.environ["USER_ID"]),
            recipient=ChannelAccount(id="bot"),
        )
        await adapter.run_pipeline(TurnContext(adapter, activity), turn)
    print(json.dumps(adapter.replies))


asyncio.run(main())
