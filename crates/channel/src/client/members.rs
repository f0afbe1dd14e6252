//! Members of a conversation.

use sayso_turn::activity::{Account, PagedMembers};

use super::{Error, Service, call::Call};

impl Service {
    /// Lists all members of a conversation. Large ones need [`paged_members`](Self::paged_members).
    ///
    /// # Errors
    /// [`Error`], sorted by remedy.
    ///
    /// # Cancellation
    /// It changes nothing.
    pub async fn members(&self, conversation: &str) -> Result<Vec<Account>, Error> {
        let url = self.conversation(conversation)?.then("/members").address()?;
        self.ask(Call::get("listing the members", url)).await?.value().await
    }

    /// Looks up one member of a conversation.
    ///
    /// # Errors
    /// [`Error`], sorted by remedy. [`Error::Gone`] means that there is no such member.
    ///
    /// # Cancellation
    /// It changes nothing.
    pub async fn member(&self, conversation: &str, member: &str) -> Result<Account, Error> {
        let url =
            self.conversation(conversation)?.then("/members").id("member", member)?.address()?;
        self.ask(Call::get("looking up the member", url)).await?.value().await
    }

    /// Lists one page of the members of a conversation: the first page, or the one that the
    /// continuation token names. Channels may return fewer than `page_size` members, or more.
    ///
    /// # Errors
    /// [`Error`], sorted by remedy.
    ///
    /// # Cancellation
    /// It changes nothing.
    ///
    /// # Example
    /// ```
    /// use sayso_channel::{ConnectorOptions, client::Client};
    /// # use axum::{Router, http::Uri, routing::get};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let page = |url: Uri| async move {
    /// #     match url.query().is_some_and(|query| query.ends_with("continuationToken=2")) {
    /// #         true => r#"{"members":[{"id":"ann"}]}"#,
    /// #         false => r#"{"members":[{"id":"bob"}],"continuationToken":"2"}"#,
    /// #     }
    /// # };
    /// # let app = Router::new().route("/v3/conversations/{c}/pagedmembers", get(page));
    /// # let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    /// # let service_url = format!("http://{}", listener.local_addr()?);
    /// # drop(tokio::spawn(async move { axum::serve(listener, app).await }));
    /// let channel = Client::new(ConnectorOptions::default())?.at(&service_url)?;
    /// let (mut count, mut next) = (0, None);
    /// for _page in 0..100 {
    ///     let page = channel.paged_members("c1", Some(200), next.as_deref()).await?;
    ///     count += page.members.unwrap_or_default().len();
    ///     next = page.continuation_token;
    ///     if next.is_none() {
    ///         break;
    ///     }
    /// }
    /// assert_eq!(count, 2);
    /// # Ok(()) }
    /// ```
    pub async fn paged_members(
        &self,
        conversation: &str,
        page_size: Option<u32>,
        continuation_token: Option<&str>,
    ) -> Result<PagedMembers, Error> {
        let url = self
            .conversation(conversation)?
            .then("/pagedmembers")
            .query("pageSize", page_size.map(|size| size.to_string()))
            .query("continuationToken", continuation_token)
            .address()?;
        self.ask(Call::get("listing the members", url)).await?.value().await
    }

    /// Removes a member from a conversation. Some channels delete a conversation with its last
    /// member.
    ///
    /// # Errors
    /// [`Error`], sorted by remedy. [`Error::Gone`] means that there is no such member any more.
    ///
    /// # Cancellation
    /// The member may have been removed; repeating the call is harmless.
    pub async fn delete_member(&self, conversation: &str, member: &str) -> Result<(), Error> {
        let url =
            self.conversation(conversation)?.then("/members").id("member", member)?.address()?;
        self.ask(Call::delete("removing the member", url)).await?.done().await;
        Ok(())
    }
}
