# Dialogues of the Python SDK: `numbers` (the published scale-out sample's), `order` and `shared`,
# with their stack in Blob Storage. The first word on the command line says which; then one turn for
# each text. Reads what it needs from the variables CONNECTION, CONTAINER, CONVERSATION and USER_ID;
# prints the replies as JSON.
import asyncio
import json
import os
import sys

from botbuilder.azure import BlobStorage, BlobStorageSettings
from botbuilder.core import BotAdapter, ConversationState, MessageFactory, TurnContext
from botbuilder.dialogs import ComponentDialog, DialogExtensions, WaterfallDialog
from botbuilder.dialogs.choices import Choice, ListStyle
from botbuilder.dialogs.prompts import ChoicePrompt, NumberPrompt, PromptOptions, TextPrompt
from botbuilder.schema import Activity, ChannelAccount, ConversationAccount, ResourceResponse

NOTE = "příliš žluťoučký 🍕"


def asking(text, **more):
    return PromptOptions(prompt=MessageFactory.text(text), **more)


def component(steps, *prompts):
    root = ComponentDialog("root")
    root.add_dialog(WaterfallDialog("waterfall", steps))
    for prompt in prompts:
        root.add_dialog(prompt)
    root.initial_dialog_id = "waterfall"
    return root


def numbers():
    async def first(step):
        # One message for both: it is written once, and referred to by its number.
        asked = MessageFactory.text("Enter a number.")
        return await step.prompt("number", PromptOptions(prompt=asked, retry_prompt=asked))

    async def second(step):
        step.values["first"] = step.result
        return await step.prompt("number", asking(f"I have {step.result} now enter another number"))

    async def difference(step):
        number = step.values["first"] - step.result
        await step.context.send_activity(f"The result of the first minus the second is {number}.")
        return await step.end_dialog()

    return component([first, second, difference], NumberPrompt("number"))


def order():
    async def is_name(prompt):
        # The attempt at which an answer was good enough becomes a part of it.
        attempt = prompt.options.number_of_attempts + 1
        prompt.recognized.value = f"{prompt.recognized.value} ({attempt})"
        return len(prompt.recognized.value) >= 7 or attempt >= 4

    async def size(step):
        step.values["note"] = {"text": NOTE, "tags": ["é", 1, None]}
        retry = MessageFactory.text("Small or large, please.")
        choices = [Choice("small"), Choice("large")]
        return await step.prompt(
            "size", asking("What size?", retry_prompt=retry, choices=choices, style=ListStyle.list_style)
        )

    async def name(step):
        step.values["size"] = step.result
        return await step.prompt(
            "name", asking("Which name?", retry_prompt=MessageFactory.text("A longer one, please: ž?"))
        )

    async def done(step):
        note, size = step.values["note"], step.values["size"]
        await step.context.send_activity(
            f"{size.value} #{size.index} for {step.result}: {note['text']} {len(note['tags'])}"
        )
        return await step.end_dialog()

    return component([size, name, done], ChoicePrompt("size"), TextPrompt("name", is_name))


def shared():
    async def word(step):
        step.values["one"] = step.values["other"] = [NOTE]
        return await step.prompt("text", asking("Which word?", retry_prompt=MessageFactory.text("Again?")))

    async def done(step):
        # One list by two names: what is added to one is in the other.
        step.values["one"].append(step.result)
        await step.context.send_activity(", ".join(step.values["other"]))
        return await step.end_dialog()

    return component([word, done], TextPrompt("text"))


class Collecting(BotAdapter):
    def __init__(self):
        super().__init__()
        self.replies = []

    async def send_activities(self, context, activities):
        self.replies.extend(activity.text for activity in activities if activity.type == "message")
        return [ResourceResponse(id=str(index)) for index, _ in enumerate(activities)]

    async def update_activity(self, context, activity):
        raise NotImplementedError

    async def delete_activity(self, context, reference):
        raise NotImplementedError


async def main():
    which, *texts = sys.argv[1:]
    root = {"numbers": numbers, "order": order, "shared": shared}[which]()
    storage = BlobStorage(
        BlobStorageSettings(container_name=os.environ["CONTAINER"], connection_string=os.environ["CONNECTION"])
    )
    conversation = ConversationState(storage)
    stack = conversation.create_property("DialogState")
    adapter = Collecting()

    async def turn(context):
        await DialogExtensions.run_dialog(root, context, stack)
        await conversation.save_changes(context)

    for text in texts:
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
