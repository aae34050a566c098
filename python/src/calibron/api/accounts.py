"""Operations of the interface: accounts. Generated; see python/generator."""

from __future__ import annotations

from typing import Any

from ..transport.calls import Call
from ..transport.senders import AsyncSender, Sender
from . import models as m


class AccountsOperations(Sender):
    def change_password(self, body: m.PasswordChange) -> m.Message:
        """Replace your own password; all your other tokens are revoked."""
        return self._model(Call("POST", "/auth/change-password", json=body), m.Message)

    def login(self, body: m.LoginForm) -> m.Token:
        """Exchange username and password for an access token."""
        return self._model(Call("POST", "/auth/login", form=body), m.Token)

    def logout(self) -> m.Message:
        """Revoke the token of this request."""
        return self._model(Call("POST", "/auth/logout"), m.Message)

    def get_me(self) -> m.User:
        """The user behind the token."""
        return self._model(Call("GET", "/auth/me"), m.User)

    def update_me(self, body: m.ProfileChange) -> m.User:
        """Change your own profile."""
        return self._model(Call("PATCH", "/auth/me", json=body), m.User)

    def oidc_backchannel_logout(self, body: m.OidcBackchannelLogoutBody) -> m.Message:
        """The identity provider ends sessions of a user."""
        return self._model(Call("POST", "/auth/oidc/backchannel-logout", form=body), m.Message)

    def finish_oidc_login(self) -> m.Token:
        """The browser comes back from the identity provider with its answer."""
        return self._model(Call("GET", "/auth/oidc/callback"), m.Token)

    def begin_oidc_login(self) -> None:
        """Send the browser to the identity provider."""
        self._nothing(Call("GET", "/auth/oidc/login"))

    def oidc_logout(self) -> m.OidcLogoutAnswer:
        """Revoke the token of this request; the answer names where to sign out of the identity provider."""
        return self._model(Call("POST", "/auth/oidc/logout"), m.OidcLogoutAnswer)

    def list_passkeys(self) -> m.ListPasskeysAnswer:
        """Your passkeys."""
        return self._model(Call("GET", "/auth/passkeys"), m.ListPasskeysAnswer)

    def create_passkey(self, body: m.SecondFactorRequest) -> dict[str, Any]:
        """Get the options with which a browser creates a passkey; it is active once it is confirmed."""
        return self._model(Call("POST", "/auth/passkeys", json=body), dict[str, Any])

    def confirm_passkey(self, body: m.ConfirmPasskeyBody) -> m.Passkey:
        """Confirm a passkey with the answer of the browser; from then on it replaces codes at sign-in."""
        return self._model(Call("POST", "/auth/passkeys/confirm", json=body), m.Passkey)

    def remove_passkey(self, body: m.RemovePasskeyBody) -> m.Message:
        """Remove one of your passkeys."""
        return self._model(Call("POST", "/auth/passkeys/remove", json=body), m.Message)

    def begin_passkey_sign_in(self, body: m.BeginPasskeySignInBody) -> dict[str, Any]:
        """Get the options with which a browser signs in with a passkey; send its answer to POST /auth/login."""
        return self._model(Call("POST", "/auth/passkeys/sign-in", json=body), dict[str, Any])

    def list_sign_in_providers(self) -> m.SignInProviders:
        """The ways to sign in."""
        return self._model(Call("GET", "/auth/providers"), m.SignInProviders)

    def register_user(self, body: m.Registration) -> m.RegisteredUser:
        """Create an account; a generated password appears only in the answer."""
        return self._model(Call("POST", "/auth/register", json=body), m.RegisteredUser)

    def reset_password(self, body: m.PasswordReset) -> m.PasswordResetAnswer:
        """Give a user a temporary password; the user's tokens are revoked."""
        return self._model(Call("POST", "/auth/reset-password", json=body), m.PasswordResetAnswer)

    def reset_second_factor(self, body: m.ResetSecondFactorBody) -> m.Message:
        """Remove the second factor of a user who has lost it."""
        return self._model(Call("POST", "/auth/reset-second-factor", json=body), m.Message)

    def get_second_factor(self) -> m.SecondFactor:
        """Whether you have a second factor."""
        return self._model(Call("GET", "/auth/second-factor"), m.SecondFactor)

    def create_second_factor(self, body: m.SecondFactorRequest) -> m.SecondFactorSetup:
        """Get the secret of a second factor for an authenticator app; it is active once it is confirmed."""
        return self._model(Call("POST", "/auth/second-factor", json=body), m.SecondFactorSetup)

    def confirm_second_factor(self, body: m.SecondFactorConfirmation) -> m.RecoveryCodes:
        """Confirm a second factor with a code; from then on a sign-in needs one."""
        return self._model(Call("POST", "/auth/second-factor/confirm", json=body), m.RecoveryCodes)

    def remove_second_factor(self, body: m.SecondFactorRemoval) -> m.Message:
        """Remove your second factor."""
        return self._model(Call("POST", "/auth/second-factor/remove", json=body), m.Message)

    def list_program_tokens(self, *, service_account: str | None = None) -> m.ListProgramTokensAnswer:
        """Your tokens for programs, oldest first."""
        return self._model(
            Call("GET", "/auth/tokens", query={"service_account": service_account}), m.ListProgramTokensAnswer
        )

    def create_program_token(self, body: m.ProgramTokenCreate) -> m.IssuedProgramToken:
        """Create a token for programs; it appears only in the answer."""
        return self._model(Call("POST", "/auth/tokens", json=body), m.IssuedProgramToken)

    def revoke_program_token(self, token_id: str) -> m.Message:
        """Revoke a token for programs."""
        return self._model(Call("DELETE", f"/auth/tokens/{Call.part(token_id)}"), m.Message)

    def rotate_program_token(self, token_id: str, body: m.RotateProgramTokenBody) -> m.IssuedProgramToken:
        """Replace a token by a new one with the same rights; the old one ends at once."""
        return self._model(Call("POST", f"/auth/tokens/{Call.part(token_id)}/rotate", json=body), m.IssuedProgramToken)


class AsyncAccountsOperations(AsyncSender):
    async def change_password(self, body: m.PasswordChange) -> m.Message:
        """Replace your own password; all your other tokens are revoked."""
        return await self._model(Call("POST", "/auth/change-password", json=body), m.Message)

    async def login(self, body: m.LoginForm) -> m.Token:
        """Exchange username and password for an access token."""
        return await self._model(Call("POST", "/auth/login", form=body), m.Token)

    async def logout(self) -> m.Message:
        """Revoke the token of this request."""
        return await self._model(Call("POST", "/auth/logout"), m.Message)

    async def get_me(self) -> m.User:
        """The user behind the token."""
        return await self._model(Call("GET", "/auth/me"), m.User)

    async def update_me(self, body: m.ProfileChange) -> m.User:
        """Change your own profile."""
        return await self._model(Call("PATCH", "/auth/me", json=body), m.User)

    async def oidc_backchannel_logout(self, body: m.OidcBackchannelLogoutBody) -> m.Message:
        """The identity provider ends sessions of a user."""
        return await self._model(Call("POST", "/auth/oidc/backchannel-logout", form=body), m.Message)

    async def finish_oidc_login(self) -> m.Token:
        """The browser comes back from the identity provider with its answer."""
        return await self._model(Call("GET", "/auth/oidc/callback"), m.Token)

    async def begin_oidc_login(self) -> None:
        """Send the browser to the identity provider."""
        await self._nothing(Call("GET", "/auth/oidc/login"))

    async def oidc_logout(self) -> m.OidcLogoutAnswer:
        """Revoke the token of this request; the answer names where to sign out of the identity provider."""
        return await self._model(Call("POST", "/auth/oidc/logout"), m.OidcLogoutAnswer)

    async def list_passkeys(self) -> m.ListPasskeysAnswer:
        """Your passkeys."""
        return await self._model(Call("GET", "/auth/passkeys"), m.ListPasskeysAnswer)

    async def create_passkey(self, body: m.SecondFactorRequest) -> dict[str, Any]:
        """Get the options with which a browser creates a passkey; it is active once it is confirmed."""
        return await self._model(Call("POST", "/auth/passkeys", json=body), dict[str, Any])

    async def confirm_passkey(self, body: m.ConfirmPasskeyBody) -> m.Passkey:
        """Confirm a passkey with the answer of the browser; from then on it replaces codes at sign-in."""
        return await self._model(Call("POST", "/auth/passkeys/confirm", json=body), m.Passkey)

    async def remove_passkey(self, body: m.RemovePasskeyBody) -> m.Message:
        """Remove one of your passkeys."""
        return await self._model(Call("POST", "/auth/passkeys/remove", json=body), m.Message)

    async def begin_passkey_sign_in(self, body: m.BeginPasskeySignInBody) -> dict[str, Any]:
        """Get the options with which a browser signs in with a passkey; send its answer to POST /auth/login."""
        return await self._model(Call("POST", "/auth/passkeys/sign-in", json=body), dict[str, Any])

    async def list_sign_in_providers(self) -> m.SignInProviders:
        """The ways to sign in."""
        return await self._model(Call("GET", "/auth/providers"), m.SignInProviders)

    async def register_user(self, body: m.Registration) -> m.RegisteredUser:
        """Create an account; a generated password appears only in the answer."""
        return await self._model(Call("POST", "/auth/register", json=body), m.RegisteredUser)

    async def reset_password(self, body: m.PasswordReset) -> m.PasswordResetAnswer:
        """Give a user a temporary password; the user's tokens are revoked."""
        return await self._model(Call("POST", "/auth/reset-password", json=body), m.PasswordResetAnswer)

    async def reset_second_factor(self, body: m.ResetSecondFactorBody) -> m.Message:
        """Remove the second factor of a user who has lost it."""
        return await self._model(Call("POST", "/auth/reset-second-factor", json=body), m.Message)

    async def get_second_factor(self) -> m.SecondFactor:
        """Whether you have a second factor."""
        return await self._model(Call("GET", "/auth/second-factor"), m.SecondFactor)

    async def create_second_factor(self, body: m.SecondFactorRequest) -> m.SecondFactorSetup:
        """Get the secret of a second factor for an authenticator app; it is active once it is confirmed."""
        return await self._model(Call("POST", "/auth/second-factor", json=body), m.SecondFactorSetup)

    async def confirm_second_factor(self, body: m.SecondFactorConfirmation) -> m.RecoveryCodes:
        """Confirm a second factor with a code; from then on a sign-in needs one."""
        return await self._model(Call("POST", "/auth/second-factor/confirm", json=body), m.RecoveryCodes)

    async def remove_second_factor(self, body: m.SecondFactorRemoval) -> m.Message:
        """Remove your second factor."""
        return await self._model(Call("POST", "/auth/second-factor/remove", json=body), m.Message)

    async def list_program_tokens(self, *, service_account: str | None = None) -> m.ListProgramTokensAnswer:
        """Your tokens for programs, oldest first."""
        return await self._model(
            Call("GET", "/auth/tokens", query={"service_account": service_account}), m.ListProgramTokensAnswer
        )

    async def create_program_token(self, body: m.ProgramTokenCreate) -> m.IssuedProgramToken:
        """Create a token for programs; it appears only in the answer."""
        return await self._model(Call("POST", "/auth/tokens", json=body), m.IssuedProgramToken)

    async def revoke_program_token(self, token_id: str) -> m.Message:
        """Revoke a token for programs."""
        return await self._model(Call("DELETE", f"/auth/tokens/{Call.part(token_id)}"), m.Message)

    async def rotate_program_token(self, token_id: str, body: m.RotateProgramTokenBody) -> m.IssuedProgramToken:
        """Replace a token by a new one with the same rights; the old one ends at once."""
        return await self._model(
            Call("POST", f"/auth/tokens/{Call.part(token_id)}/rotate", json=body), m.IssuedProgramToken
        )
