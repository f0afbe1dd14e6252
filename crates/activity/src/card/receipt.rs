//! Receipt card: items, prices and totals.

use super::{CardAction, CardImage, attach};
use crate::json::wire_struct::wire_struct;

wire_struct! {
    /// A receipt. Prices are texts, with their currency, as they should be read.
    ///
    /// # Example
    ///
    /// ```
    /// use sayso_activity::{ReceiptCard, ReceiptItem};
    ///
    /// let card = ReceiptCard::new("Pizza & Co.")
    ///     .with_fact("Order", "1234")
    ///     .with_item(ReceiptItem::new("Margherita", "8.50 €").with_quantity("2"))
    ///     .with_total("17.00 €");
    /// assert_eq!(card.attach().content_type.unwrap(), ReceiptCard::CONTENT_TYPE);
    /// ```
    pub struct ReceiptCard, "receiptCard";
    required {}
    optional {
        /// The title.
        title: String = "title",
        /// Facts beside the items, such as the order number.
        facts: Vec<Fact> = "facts",
        /// The items that were bought.
        items: Vec<ReceiptItem> = "items",
        /// The action when the card itself is pressed.
        tap: CardAction = "tap",
        /// The total.
        total: String = "total",
        /// The tax in it.
        tax: String = "tax",
        /// The value added tax in it.
        vat: String = "vat",
        /// The buttons.
        buttons: Vec<CardAction> = "buttons",
    }
}

wire_struct! {
    /// A line of a receipt that is not an item.
    pub struct Fact, "fact";
    required {}
    optional {
        /// The name of the fact.
        key: String = "key",
        /// Its value.
        value: String = "value",
    }
}

wire_struct! {
    /// An item on a receipt.
    pub struct ReceiptItem, "item";
    required {}
    optional {
        /// The name of the item.
        title: String = "title",
        /// The line under it.
        subtitle: String = "subtitle",
        /// More about it.
        text: String = "text",
        /// A picture of it.
        image: CardImage = "image",
        /// The price.
        price: String = "price",
        /// The quantity.
        quantity: String = "quantity",
        /// The action when the item is pressed.
        tap: CardAction = "tap",
    }
}

attach!(ReceiptCard, "application/vnd.microsoft.card.receipt");

impl ReceiptCard {
    /// A receipt with a title.
    #[must_use]
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: Some(title.into()), ..Self::default() }
    }

    /// Adds a fact.
    #[must_use]
    pub fn with_fact(mut self, key: impl Into<String>, value: impl Into<String>) -> Self {
        let (key, value) = (Some(key.into()), Some(value.into()));
        self.facts.get_or_insert_default().push(Fact { key, value, ..Fact::default() });
        self
    }

    /// Adds an item.
    #[must_use]
    pub fn with_item(mut self, item: ReceiptItem) -> Self {
        self.items.get_or_insert_default().push(item);
        self
    }

    /// Sets the total.
    #[must_use]
    pub fn with_total(mut self, total: impl Into<String>) -> Self {
        self.total = Some(total.into());
        self
    }

    /// Sets the tax in it.
    #[must_use]
    pub fn with_tax(mut self, tax: impl Into<String>) -> Self {
        self.tax = Some(tax.into());
        self
    }

    /// Sets the value added tax in it.
    #[must_use]
    pub fn with_vat(mut self, vat: impl Into<String>) -> Self {
        self.vat = Some(vat.into());
        self
    }

    /// Adds a button.
    #[must_use]
    pub fn with_button(mut self, button: CardAction) -> Self {
        self.buttons.get_or_insert_default().push(button);
        self
    }
}

impl ReceiptItem {
    /// An item with its price.
    #[must_use]
    pub fn new(title: impl Into<String>, price: impl Into<String>) -> Self {
        Self { title: Some(title.into()), price: Some(price.into()), ..Self::default() }
    }

    /// Sets the quantity.
    #[must_use]
    pub fn with_quantity(mut self, quantity: impl Into<String>) -> Self {
        self.quantity = Some(quantity.into());
        self
    }

    /// Sets the line under it.
    #[must_use]
    pub fn with_subtitle(mut self, subtitle: impl Into<String>) -> Self {
        self.subtitle = Some(subtitle.into());
        self
    }

    /// Sets a picture of it.
    #[must_use]
    pub fn with_image(mut self, image: impl Into<CardImage>) -> Self {
        self.image = Some(image.into());
        self
    }
}
