import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readRedirect } from '../../../app/sign-in/redirect.ts'

const read = (query: string) => readRedirect(new URLSearchParams(query), 'good')

describe('a redirect', () => {
  it('returns a code for the state that was sent', () => {
    expect(read('code=abc&state=good')).toEqual({ kind: 'code', code: 'abc' })
  })

  it.each([
    'code=abc',
    'code=abc&state=',
    'code=abc&state=Good',
    'code=abc&state=goodx',
    'error=access_denied',
  ])('%s belongs to something else', (query) => {
    expect(read(query)).toEqual({ kind: 'wrong-state' })
  })

  it('reports that the person declined', () => {
    expect(read('error=access_denied&error_description=No&state=good')).toEqual({ kind: 'declined' })
  })

  it('names any other error by its code, and repeats nothing else', () => {
    expect(read('error=invalid_scope&state=good')).toEqual({ kind: 'refused', error: 'invalid_scope' })
    expect(read('error=%3Cscript%3E&state=good')).toEqual({ kind: 'refused', error: 'an unreadable error' })
  })

  it('is none without a code or an error, or with a field given twice', () => {
    for (const query of [
      '',
      'state=good',
      'code=&state=good',
      'code=a&code=b&state=good',
      'code=a&state=good&state=x',
    ])
      expect(read(query)).toEqual({ kind: 'not-a-redirect' })
  })

  it('never counts without the exact state, whatever else it contains', () => {
    const names = fc.oneof(fc.constantFrom('code', 'state', 'error', 'iss'), fc.string())
    const values = fc.oneof(fc.constantFrom('good', 'access_denied', ''), fc.string())
    fc.assert(
      fc.property(fc.array(fc.tuple(names, values), { maxLength: 6 }), (pairs) => {
        const redirect = readRedirect(pairs, 'good')
        const states = pairs.filter(([name]) => name === 'state')
        const counts = redirect.kind !== 'wrong-state' && redirect.kind !== 'not-a-redirect'
        if (counts) expect(states).toEqual([['state', 'good']])
      }),
    )
  })
})
