import { htmlText } from '../storage/address-file.ts'
import type { SimulatorFlags } from './options.ts'
import { type AuthorizeRequest, readAuthorize, type SignInRules } from './rules/sign-in-rules.ts'
import { type Answer, htmlAnswer, type ServiceRequest } from './wire.ts'

export interface AuthorizeRules extends Pick<SimulatorFlags, 'clientId' | 'consent'> {
  readonly signIns: SignInRules
}

const redirect = (location: string): Answer => htmlAnswer(302, '', { Location: location })

/**
 * Answers GET /authorize with a consent page. Answers POST /authorize, which contains the person's decision,
 * with a redirect.
 */
export function answerAuthorize(rules: AuthorizeRules, request: ServiceRequest, atMs: number): Answer {
  if (request.method === 'POST') return answerDecision(rules, new URLSearchParams(request.body), atMs)
  if (request.method !== 'GET') return htmlAnswer(405, refusalPage('Use GET.'), { Allow: 'GET, POST' })
  const outcome = readAuthorize(new URLSearchParams(request.query), rules.clientId)
  switch (outcome.kind) {
    case 'unsafe':
      return htmlAnswer(403, refusalPage(outcome.description))
    case 'redirect':
      return redirect(outcome.location)
    case 'ask': {
      const id = rules.signIns.ask(outcome.request)
      if (rules.consent === 'ask') return htmlAnswer(200, consentPage(id, rules.clientId, outcome.request))
      return redirect(rules.signIns.answer(id, rules.consent === 'approve', atMs) ?? '/')
    }
  }
}

function answerDecision(rules: AuthorizeRules, form: URLSearchParams, atMs: number): Answer {
  const decision = form.get('decision')
  if (decision !== 'approve' && decision !== 'decline')
    return htmlAnswer(400, refusalPage('No decision was made.'))
  const location = rules.signIns.answer(form.get('request') ?? '', decision === 'approve', atMs)
  return location === undefined
    ? htmlAnswer(400, refusalPage('This question was already answered. Start the sign-in again.'))
    : redirect(location)
}

const page = (title: string, body: string): string => `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>${title}</title>
<style>body{font:16px/1.5 system-ui;max-width:32rem;margin:4rem auto;padding:0 1rem}button{font:inherit;padding:.4rem 1rem}</style>
<h1>${title}</h1>
${body}
</html>
`

/** The consent page with two buttons. No password is needed, because nothing here is real. */
const consentPage = (id: string, clientId: string, request: AuthorizeRequest): string =>
  page(
    'Simulated sign-in',
    `<p>The program with the API key <b>${htmlText(clientId)}</b> asks for:</p>
<ul>${request.scope
      .split(' ')
      .map((scope) => `<li>${htmlText(scope)}</li>`)
      .join('')}</ul>
<form method="post" action="/authorize">
<input type="hidden" name="request" value="${htmlText(id)}">
<button name="decision" value="approve">Approve</button>
<button name="decision" value="decline">Decline</button>
</form>`,
  )

const refusalPage = (description: string): string =>
  page('This sign-in can’t continue', `<p>${htmlText(description)}</p>`)
