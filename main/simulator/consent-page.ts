import type { AuthorizeRequest } from './rules/sign-in-rules.ts'

const escaped = (text: string): string => text.replace(/[&<>"']/g, (letter) => `&#${letter.codePointAt(0)};`)

const page = (title: string, body: string): string => `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>${title}</title>
<style>body{font:16px/1.5 system-ui;max-width:32rem;margin:4rem auto;padding:0 1rem}button{font:inherit;padding:.4rem 1rem}</style>
<h1>${title}</h1>
${body}
</html>
`

/** The question a person answers in the browser: two buttons, no password, because nothing here is real. */
export const consentPage = (id: string, clientId: string, request: AuthorizeRequest): string =>
  page(
    'Simulated sign-in',
    `<p>The program with the API key <b>${escaped(clientId)}</b> asks for:</p>
<ul>${request.scope
      .split(' ')
      .map((scope) => `<li>${escaped(scope)}</li>`)
      .join('')}</ul>
<form method="post" action="/authorize">
<input type="hidden" name="request" value="${escaped(id)}">
<button name="decision" value="approve">Approve</button>
<button name="decision" value="decline">Decline</button>
</form>`,
  )

export const refusalPage = (description: string): string =>
  page('This sign-in cannot go on', `<p>${escaped(description)}</p>`)
