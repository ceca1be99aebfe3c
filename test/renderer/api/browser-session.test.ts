import { describe, expect, it } from 'vitest'
import { browserSession } from '../../../renderer/api/browser-session.ts'

function place(hash: string) {
  const kept = new Map<string, string>()
  const location = { hash, pathname: '/', search: '' }
  const shown: string[] = []
  const session = browserSession({
    location,
    history: {
      replaceState: (_state, _title, url) => {
        location.hash = ''
        shown.push(String(url))
      },
    },
    storage: {
      getItem: (name) => kept.get(name) ?? null,
      setItem: (name, value) => void kept.set(name, value),
      removeItem: (name) => void kept.delete(name),
    },
  })
  return { session, shown, kept }
}

describe('the session of a page in a browser', () => {
  it('removes the code from the address bar at once, and once', () => {
    const { session, shown } = place('#code=abc-123')
    expect(session.takeCode()).toBe('abc-123')
    expect(shown).toEqual(['/'])
    expect(session.takeCode()).toBeUndefined()
  })

  it('leaves an address without a code unchanged', () => {
    const { session, shown } = place('#elsewhere')
    expect(session.takeCode()).toBeUndefined()
    expect(shown).toEqual([])
  })

  it('keeps the bearer for a reload, and deletes it on request', () => {
    const { session, kept } = place('')
    session.keep('b')
    expect(session.bearer()).toBe('b')
    session.forget()
    expect(session.bearer()).toBeUndefined()
    expect(kept.size).toBe(0)
  })
})
