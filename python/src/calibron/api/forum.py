"""Operations of the interface: forum. Generated; see python/generator."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

from ..transport.calls import Call, Files
from ..transport.senders import AsyncSender, Sender
from . import models as m


class ForumOperations(Sender):
    def list_forum_categories(
        self, *, include_archived: bool | None = None, project: str | None = None
    ) -> m.ForumCategoryList:
        """The categories of threads, in order."""
        return self._model(
            Call(
                "GET",
                "/forum/categories",
                query={"include_archived": include_archived},
                project=project,
                takes_project=True,
            ),
            m.ForumCategoryList,
        )

    def create_forum_category(self, body: m.ForumCategoryCreate, *, project: str | None = None) -> m.ForumCategory:
        """Add a category; without a key it gets one made of its name."""
        return self._model(
            Call("POST", "/forum/categories", json=body, project=project, takes_project=True), m.ForumCategory
        )

    def archive_forum_category(self, category_key: str, *, project: str | None = None) -> m.Message:
        """Archive a category; its threads keep it."""
        return self._model(
            Call("DELETE", f"/forum/categories/{Call.part(category_key)}", project=project, takes_project=True),
            m.Message,
        )

    def update_forum_category(
        self, category_key: str, body: m.ForumCategoryChange, *, project: str | None = None
    ) -> m.ForumCategory:
        """Change, archive or restore a category; fields that are null or absent stay as they are."""
        return self._model(
            Call(
                "PATCH", f"/forum/categories/{Call.part(category_key)}", json=body, project=project, takes_project=True
            ),
            m.ForumCategory,
        )

    def get_forum_image(self, filename: str) -> bytes:
        """An image that a text shows."""
        return self._bytes(Call("GET", f"/forum/images/{Call.part(filename)}"))

    def list_forum_posts(
        self,
        *,
        skip: int | None = None,
        limit: int | None = None,
        category: str | None = None,
        label: str | None = None,
        chip_id: str | None = None,
        target_type: str | None = None,
        target_id: str | None = None,
        cooldown_id: str | None = None,
        number: int | None = None,
        status: str | None = None,
        q: str | None = None,
        project: str | None = None,
    ) -> m.ForumThreadList:
        """Threads, the newest first; open ones, unless another status or all are requested."""
        return self._model(
            Call(
                "GET",
                "/forum/posts",
                query={
                    "skip": skip,
                    "limit": limit,
                    "category": category,
                    "label": label,
                    "chip_id": chip_id,
                    "target_type": target_type,
                    "target_id": target_id,
                    "cooldown_id": cooldown_id,
                    "number": number,
                    "status": status,
                    "q": q,
                },
                project=project,
                takes_project=True,
            ),
            m.ForumThreadList,
        )

    def iterate_forum_posts(
        self,
        *,
        skip: int | None = None,
        limit: int | None = None,
        category: str | None = None,
        label: str | None = None,
        chip_id: str | None = None,
        target_type: str | None = None,
        target_id: str | None = None,
        cooldown_id: str | None = None,
        number: int | None = None,
        status: str | None = None,
        q: str | None = None,
        project: str | None = None,
    ) -> Iterator[m.ForumPost]:
        """Threads, the newest first; open ones, unless another status or all are requested, page after page."""
        return self._pages(
            Call(
                "GET",
                "/forum/posts",
                query={
                    "skip": skip,
                    "limit": limit,
                    "category": category,
                    "label": label,
                    "chip_id": chip_id,
                    "target_type": target_type,
                    "target_id": target_id,
                    "cooldown_id": cooldown_id,
                    "number": number,
                    "status": status,
                    "q": q,
                },
                project=project,
                takes_project=True,
            ),
            "posts",
            m.ForumPost,
        )

    def create_forum_post(self, body: m.ForumPostCreate, *, project: str | None = None) -> m.ForumPost:
        """Start a thread, or reply to one with parent_id."""
        return self._model(Call("POST", "/forum/posts", json=body, project=project, takes_project=True), m.ForumPost)

    def delete_forum_post(self, post_id: str, *, project: str | None = None) -> m.Message:
        """Delete a post of your own; with the first post of a thread, its replies are deleted too."""
        return self._model(
            Call("DELETE", f"/forum/posts/{Call.part(post_id)}", project=project, takes_project=True), m.Message
        )

    def get_forum_post(self, post_id: str, *, project: str | None = None) -> m.ForumPost:
        """A thread or a reply."""
        return self._model(
            Call("GET", f"/forum/posts/{Call.part(post_id)}", project=project, takes_project=True), m.ForumPost
        )

    def update_forum_post(self, post_id: str, body: m.ForumPostChange, *, project: str | None = None) -> m.ForumPost:
        """Change a post; editors of the project may change what a thread is filed under."""
        return self._model(
            Call("PATCH", f"/forum/posts/{Call.part(post_id)}", json=body, project=project, takes_project=True),
            m.ForumPost,
        )

    def stream_forum_ai_reply(
        self, post_id: str, body: m.ForumModelQuestion, *, project: str | None = None
    ) -> Iterator[m.AnswerStatusEvent | m.AnswerTextEvent | m.AnswerErrorEvent | m.ForumReplyResultEvent]:
        """Have the language model reply in a thread; `result` is the reply, which the thread has from then on."""
        return self._events(
            Call(
                "POST",
                f"/forum/posts/{Call.part(post_id)}/ai-reply/stream",
                json=body,
                project=project,
                takes_project=True,
            ),
            m.AnswerStatusEvent | m.AnswerTextEvent | m.AnswerErrorEvent | m.ForumReplyResultEvent,
        )

    def close_forum_post(self, post_id: str, *, project: str | None = None) -> m.Message:
        """Close a thread: it is resolved, and takes no more replies."""
        return self._model(
            Call("PATCH", f"/forum/posts/{Call.part(post_id)}/close", project=project, takes_project=True), m.Message
        )

    def reopen_forum_post(self, post_id: str, *, project: str | None = None) -> m.Message:
        """Reopen a thread."""
        return self._model(
            Call("PATCH", f"/forum/posts/{Call.part(post_id)}/reopen", project=project, takes_project=True), m.Message
        )

    def list_forum_replies(
        self, post_id: str, *, skip: int | None = None, limit: int | None = None, project: str | None = None
    ) -> list[m.ForumPost]:
        """Replies of a thread, the oldest first."""
        return self._model(
            Call(
                "GET",
                f"/forum/posts/{Call.part(post_id)}/replies",
                query={"skip": skip, "limit": limit},
                project=project,
                takes_project=True,
            ),
            list[m.ForumPost],
        )

    def iterate_forum_replies(
        self, post_id: str, *, skip: int | None = None, limit: int | None = None, project: str | None = None
    ) -> Iterator[m.ForumPost]:
        """Replies of a thread, the oldest first, page after page."""
        return self._pages(
            Call(
                "GET",
                f"/forum/posts/{Call.part(post_id)}/replies",
                query={"skip": skip, "limit": limit},
                project=project,
                takes_project=True,
            ),
            "",
            m.ForumPost,
        )

    def upload_forum_image(self, body: Files, *, project: str | None = None) -> m.UploadedImage:
        """Upload an image for a text: PNG, JPEG, GIF or WebP, at most 5 MiB, as the form field `file`."""
        return self._model(
            Call("POST", "/forum/upload-image", multipart=body, project=project, takes_project=True), m.UploadedImage
        )


class AsyncForumOperations(AsyncSender):
    async def list_forum_categories(
        self, *, include_archived: bool | None = None, project: str | None = None
    ) -> m.ForumCategoryList:
        """The categories of threads, in order."""
        return await self._model(
            Call(
                "GET",
                "/forum/categories",
                query={"include_archived": include_archived},
                project=project,
                takes_project=True,
            ),
            m.ForumCategoryList,
        )

    async def create_forum_category(
        self, body: m.ForumCategoryCreate, *, project: str | None = None
    ) -> m.ForumCategory:
        """Add a category; without a key it gets one made of its name."""
        return await self._model(
            Call("POST", "/forum/categories", json=body, project=project, takes_project=True), m.ForumCategory
        )

    async def archive_forum_category(self, category_key: str, *, project: str | None = None) -> m.Message:
        """Archive a category; its threads keep it."""
        return await self._model(
            Call("DELETE", f"/forum/categories/{Call.part(category_key)}", project=project, takes_project=True),
            m.Message,
        )

    async def update_forum_category(
        self, category_key: str, body: m.ForumCategoryChange, *, project: str | None = None
    ) -> m.ForumCategory:
        """Change, archive or restore a category; fields that are null or absent stay as they are."""
        return await self._model(
            Call(
                "PATCH", f"/forum/categories/{Call.part(category_key)}", json=body, project=project, takes_project=True
            ),
            m.ForumCategory,
        )

    async def get_forum_image(self, filename: str) -> bytes:
        """An image that a text shows."""
        return await self._bytes(Call("GET", f"/forum/images/{Call.part(filename)}"))

    async def list_forum_posts(
        self,
        *,
        skip: int | None = None,
        limit: int | None = None,
        category: str | None = None,
        label: str | None = None,
        chip_id: str | None = None,
        target_type: str | None = None,
        target_id: str | None = None,
        cooldown_id: str | None = None,
        number: int | None = None,
        status: str | None = None,
        q: str | None = None,
        project: str | None = None,
    ) -> m.ForumThreadList:
        """Threads, the newest first; open ones, unless another status or all are requested."""
        return await self._model(
            Call(
                "GET",
                "/forum/posts",
                query={
                    "skip": skip,
                    "limit": limit,
                    "category": category,
                    "label": label,
                    "chip_id": chip_id,
                    "target_type": target_type,
                    "target_id": target_id,
                    "cooldown_id": cooldown_id,
                    "number": number,
                    "status": status,
                    "q": q,
                },
                project=project,
                takes_project=True,
            ),
            m.ForumThreadList,
        )

    def iterate_forum_posts(
        self,
        *,
        skip: int | None = None,
        limit: int | None = None,
        category: str | None = None,
        label: str | None = None,
        chip_id: str | None = None,
        target_type: str | None = None,
        target_id: str | None = None,
        cooldown_id: str | None = None,
        number: int | None = None,
        status: str | None = None,
        q: str | None = None,
        project: str | None = None,
    ) -> AsyncIterator[m.ForumPost]:
        """Threads, the newest first; open ones, unless another status or all are requested, page after page."""
        return self._pages(
            Call(
                "GET",
                "/forum/posts",
                query={
                    "skip": skip,
                    "limit": limit,
                    "category": category,
                    "label": label,
                    "chip_id": chip_id,
                    "target_type": target_type,
                    "target_id": target_id,
                    "cooldown_id": cooldown_id,
                    "number": number,
                    "status": status,
                    "q": q,
                },
                project=project,
                takes_project=True,
            ),
            "posts",
            m.ForumPost,
        )

    async def create_forum_post(self, body: m.ForumPostCreate, *, project: str | None = None) -> m.ForumPost:
        """Start a thread, or reply to one with parent_id."""
        return await self._model(
            Call("POST", "/forum/posts", json=body, project=project, takes_project=True), m.ForumPost
        )

    async def delete_forum_post(self, post_id: str, *, project: str | None = None) -> m.Message:
        """Delete a post of your own; with the first post of a thread, its replies are deleted too."""
        return await self._model(
            Call("DELETE", f"/forum/posts/{Call.part(post_id)}", project=project, takes_project=True), m.Message
        )

    async def get_forum_post(self, post_id: str, *, project: str | None = None) -> m.ForumPost:
        """A thread or a reply."""
        return await self._model(
            Call("GET", f"/forum/posts/{Call.part(post_id)}", project=project, takes_project=True), m.ForumPost
        )

    async def update_forum_post(
        self, post_id: str, body: m.ForumPostChange, *, project: str | None = None
    ) -> m.ForumPost:
        """Change a post; editors of the project may change what a thread is filed under."""
        return await self._model(
            Call("PATCH", f"/forum/posts/{Call.part(post_id)}", json=body, project=project, takes_project=True),
            m.ForumPost,
        )

    def stream_forum_ai_reply(
        self, post_id: str, body: m.ForumModelQuestion, *, project: str | None = None
    ) -> AsyncIterator[m.AnswerStatusEvent | m.AnswerTextEvent | m.AnswerErrorEvent | m.ForumReplyResultEvent]:
        """Have the language model reply in a thread; `result` is the reply, which the thread has from then on."""
        return self._events(
            Call(
                "POST",
                f"/forum/posts/{Call.part(post_id)}/ai-reply/stream",
                json=body,
                project=project,
                takes_project=True,
            ),
            m.AnswerStatusEvent | m.AnswerTextEvent | m.AnswerErrorEvent | m.ForumReplyResultEvent,
        )

    async def close_forum_post(self, post_id: str, *, project: str | None = None) -> m.Message:
        """Close a thread: it is resolved, and takes no more replies."""
        return await self._model(
            Call("PATCH", f"/forum/posts/{Call.part(post_id)}/close", project=project, takes_project=True), m.Message
        )

    async def reopen_forum_post(self, post_id: str, *, project: str | None = None) -> m.Message:
        """Reopen a thread."""
        return await self._model(
            Call("PATCH", f"/forum/posts/{Call.part(post_id)}/reopen", project=project, takes_project=True), m.Message
        )

    async def list_forum_replies(
        self, post_id: str, *, skip: int | None = None, limit: int | None = None, project: str | None = None
    ) -> list[m.ForumPost]:
        """Replies of a thread, the oldest first."""
        return await self._model(
            Call(
                "GET",
                f"/forum/posts/{Call.part(post_id)}/replies",
                query={"skip": skip, "limit": limit},
                project=project,
                takes_project=True,
            ),
            list[m.ForumPost],
        )

    def iterate_forum_replies(
        self, post_id: str, *, skip: int | None = None, limit: int | None = None, project: str | None = None
    ) -> AsyncIterator[m.ForumPost]:
        """Replies of a thread, the oldest first, page after page."""
        return self._pages(
            Call(
                "GET",
                f"/forum/posts/{Call.part(post_id)}/replies",
                query={"skip": skip, "limit": limit},
                project=project,
                takes_project=True,
            ),
            "",
            m.ForumPost,
        )

    async def upload_forum_image(self, body: Files, *, project: str | None = None) -> m.UploadedImage:
        """Upload an image for a text: PNG, JPEG, GIF or WebP, at most 5 MiB, as the form field `file`."""
        return await self._model(
            Call("POST", "/forum/upload-image", multipart=body, project=project, takes_project=True), m.UploadedImage
        )
