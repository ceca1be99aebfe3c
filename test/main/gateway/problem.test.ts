import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { type Problem, problemBody, problemHeaders, sendProblem } from '../../../main/gateway/problem.ts'

const PROBLEM: Problem = { status: 503, detail: 'Not sent.', proxyError: 'destination_unavailable' }

test('the body has the members of RFC 9457 and those of the service', () => {
  expect(JSON.parse(problemBody(PROBLEM))).toEqual({
    type: 'about:blank',
    title: 'Service Unavailable',
    status: 503,
    detail: 'Not sent.',
    Error: 'ServiceUnavailable',
    Message: 'Not sent.',
  })
  const named = { ...PROBLEM, status: 429, error: 'Limited', message: 'Rate quota exceeded' }
  expect(JSON.parse(problemBody(named))).toMatchObject({
    title: 'Too Many Requests',
    Error: 'Limited',
    Message: 'Rate quota exceeded',
  })
})

test('a status without a name is titled Error', () => {
  expect(JSON.parse(problemBody({ ...PROBLEM, status: 599 }))).toMatchObject({
    title: 'Error',
    Error: 'Error',
  })
})

test('the length is in bytes, and Proxy-Status is ASCII with quotes and backslashes escaped', () => {
  const problem: Problem = { ...PROBLEM, detail: 'é "x" \\\n~', headers: { 'retry-after': '3' } }
  expect(problemHeaders(problem, 'é')).toEqual({
    'content-type': 'application/problem+json',
    'content-length': '2',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'proxy-status': 'headroom; error=destination_unavailable; details="? \\"x\\" \\\\?~"',
    'retry-after': '3',
  })
})

function replyThat(traits: {
  headersSent?: boolean
  destroyed?: boolean
  complete?: boolean
  method?: string
}) {
  const { headersSent = false, destroyed = false, complete = true, method = 'GET' } = traits
  const said: unknown[] = []
  const reply = {
    headersSent,
    destroyed,
    req: { complete, method },
    setHeader: (...header: readonly string[]) => void said.push(header),
    writeHead: (status: number) => void said.push(status),
    end: (body?: string) => void said.push(body),
  }
  sendProblem(reply as unknown as ServerResponse, PROBLEM)
  return said
}

test('a problem is sent with its body, to HEAD without one', () => {
  expect(replyThat({})).toEqual([503, problemBody(PROBLEM)])
  expect(replyThat({ method: 'HEAD' })).toEqual([503, undefined])
})

test('closes the connection of a request that was not read to its end', () => {
  expect(replyThat({ complete: false })).toEqual([['connection', 'close'], 503, problemBody(PROBLEM)])
})

test('a response that has begun, or whose caller has left, gets no problem', () => {
  expect(replyThat({ headersSent: true })).toEqual([])
  expect(replyThat({ destroyed: true })).toEqual([])
})
