import { consentPage, refusalPage } from './consent-page.ts'
import { readAuthorize, type SignInRules } from './rules/sign-in-rules.ts'
import { type Answer, htmlAnswer, type ServiceRequest } from './wire.ts'

export interface AuthorizeRules {
  readonly clientId: string
  readonly consent: 'ask' | 'approve' | 'decline'
  readonly signIns: SignInRules
}

const redirect = (location: string): Answer => htmlAnswer(302, '', { Location: location })

/** GET /authorize asks, POST /authorize brings the person's answer. */
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
