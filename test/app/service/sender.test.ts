import { describe, expect, test } from 'vitest'
import { type HttpHeaders, observe } from '../../../app/service/headers.ts'
import { redirectedTo, senderOf, senderOfAnswer } from '../../../app/service/sender.ts'

const URL = 'https://api.test/v3/brokerage/accounts'
const kind = (status: number, headers: HttpHeaders) => senderOf(observe(status, headers), URL).kind

test.each<[string, number, HttpHeaders, string]>([
  ['a page', 200, { 'content-type': 'text/html; charset=utf-8' }, 'other'],
  ['a page in capitals', 200, { 'content-type': 'Text/HTML' }, 'other'],
  ['XHTML', 200, { 'content-type': 'application/xhtml+xml' }, 'other'],
  ['JSON', 200, { 'content-type': 'application/json; charset=utf-8' }, 'service'],
  ['a stream', 200, { 'content-type': 'application/vnd.tradestation.streams.v2+json' }, 'service'],
  ['no type at all', 200, {}, 'unsure'],
  ['plain text', 200, { 'content-type': 'text/plain' }, 'unsure'],
  ['a page with quota headers', 200, { 'content-type': 'text/html', 'x-ratelimit-limit': '320' }, 'service'],
  ['slots', 200, { 'x-concurrency-remaining': '3' }, 'service'],
  ["a gateway's page about a fault", 503, { 'content-type': 'text/html' }, 'service'],
  ['a page that is not there', 404, { 'content-type': 'text/html' }, 'service'],
  ['a redirect to another host', 302, { location: 'http://portal.test/login?u=1' }, 'other'],
  ['a redirect on the same host', 302, { location: '/v3/elsewhere' }, 'service'],
])('%s is recognised by its head', (_what, status, headers, expected) => {
  expect(kind(status, headers)).toBe(expected)
})

test('recognises a page by its body if the head does not decide', () => {
  const sender = (body: string) => senderOfAnswer(observe(200, {}), URL, body).kind
  expect(['<html>', ' \r\n<!DOCTYPE html>', '\ufeff<html>'].map(sender)).toEqual(['other', 'other', 'other'])
  expect(['{}', '[]', '', 'plain words', '"<html>"'].map(sender)).not.toContain('other')
})

describe('of a redirect', () => {
  const to = (location: string) => redirectedTo(302, { location }, URL)
  test('shows the other host’s name and nothing else of the address', () => {
    expect(to('https://portal.test/login?session=secret#x')).toBe('portal.test')
    expect(to('http://me:secret@Portal.test:8443/')).toBe('portal.test')
    expect(to('//portal.test')).toBe('portal.test')
    expect(to('http://[fe80::1]:80/x')).toBe('[fe80::1]')
  })
  test('the same host, and a redirect without one, show none', () => {
    for (const location of [
      '/login',
      'login?next=//portal.test',
      'https://API.test/x',
      '',
      'https:',
      'javascript:0',
    ])
      expect(to(location), location).toBeUndefined()
    expect(redirectedTo(200, { location: 'https://portal.test' }, URL)).toBeUndefined()
  })
  test('a text instead of a host is not repeated', () => {
    expect(to('https://portal.test secret/')).toBeUndefined()
    expect(to('https://<b>portal/')).toBeUndefined()
  })
})
