import '../utc.ts'
import { describe, expect, it } from 'vitest'
import type { Link } from '../../../renderer/api/link.ts'
import { bannerFor } from '../../../renderer/format/banner.ts'
import { NOW_MS, snapshot } from '../fixtures.ts'

const LIVE: Link = { kind: 'live' }
const base = snapshot()
const banner = (more: Parameters<typeof snapshot>[0], link: Link = LIVE) =>
  bannerFor(link, snapshot(more), NOW_MS, NOW_MS)

const simulator = { id: 'main', name: 'Simulator', environment: 'simulator' } as const
const unreachable = {
  reachable: false,
  host: 'api.example.com',
  since: NOW_MS - 123_000,
  retryAt: NOW_MS + 8000,
}

describe('the banner', () => {
  it('is absent when all is well', () => {
    expect(banner({})).toBeUndefined()
  })

  it('says when numbers come from the simulator', () => {
    expect(banner({ profile: simulator })).toMatchObject({
      id: 'simulated',
      title: 'Simulated brokerage',
      text: 'These numbers come from the built-in simulator.',
      action: 'connect-a-key',
    })
  })

  it('counts down to the next try while the service is unreachable', () => {
    expect(banner({ service: unreachable })).toMatchObject({
      title: 'Service unreachable since 14:29:02',
      text: 'Numbers since then are estimates. Next try in 8 s.',
      action: 'try-now',
    })
    const later = bannerFor(LIVE, snapshot({ service: unreachable }), NOW_MS + 9000, NOW_MS)
    expect(later?.text).toBe('Numbers since then are estimates. Trying now.')
  })

  it('names the sign-in host that does not answer, not the service, and says what to do', () => {
    const signInHost = { host: 'signin.example.com', since: NOW_MS - 123_000, why: 'connection refused' }
    const said = banner({ signInHost: { ...signInHost, retryAt: NOW_MS + 8_000 } })
    expect(said).toMatchObject({
      id: 'sign-in-host-unreachable',
      title: 'Sign-in host unreachable since 14:29:02',
      action: 'try-now',
    })
    expect(said?.text).toMatch(
      /^signin\.example\.com: connection refused\. .* Check the network, and the VPN or proxy if you use one\. Next try in 8 s\.$/,
    )
    expect(said?.text).not.toContain('estimates')
    expect(banner({ signInHost })?.text).toMatch(/if you use one\.$/)
  })

  it('says that 24 hours ended only when they have', () => {
    const refresh = { ...base.refresh, state: 'sign-in-required' } as const
    expect(banner({ refresh: { ...refresh, endsAt: NOW_MS - 60_000 } })?.title).toBe(
      "Sign in again: the refresh token's 24 hours ended at 14:30",
    )
    expect(banner({ refresh: { ...refresh, reason: 'the answer was lost' } })?.title).toBe(
      'Sign in again: the answer was lost',
    )
  })

  it('names a key or secret that is not accepted, and does not send anybody to sign in for it', () => {
    const reason = 'the service does not accept this API key or secret'
    const refresh = { ...base.refresh, state: 'sign-in-required', cause: 'misconfigured', reason } as const
    const said = banner({ refresh })
    expect(said).toMatchObject({
      id: 'key-misconfigured',
      severity: 'critical',
      title: 'Key not accepted: the service does not accept this API key or secret',
      text: expect.stringContaining('Enter the right secret'),
      action: 'correct-key',
    })
    expect(`${said?.title} ${said?.text}`).not.toMatch(/sign in/i)
  })

  it('does not call an unconfirmed revocation done, nor promise a retry after a restart from memory', () => {
    const refresh = {
      ...base.refresh,
      state: 'revoke-unconfirmed',
      reason: 'the service answered 503',
      retryAt: NOW_MS + 65_000,
    } as const
    expect(banner({ refresh })).toMatchObject({
      title: 'Revocation not confirmed',
      text: 'The service answered 503. Trying again at 14:32:10, also after a restart. Assume the tokens still work.',
    })
    expect(banner({ refresh: { ...refresh, stored: 'memory' } })?.text).toBe(
      'The service answered 503. Trying again at 14:32:10. Assume the tokens still work.',
    )
  })

  it('says when the service confirmed a revocation', () => {
    const refresh = { ...base.refresh, state: 'revoked', revokedAt: NOW_MS + 17_000 } as const
    expect(banner({ refresh })).toMatchObject({
      title: 'Revoked',
      text: 'Confirmed by the service at 14:31:22.',
      action: 'sign-in',
    })
  })

  it('says why a sign-in is not confirmed yet, where that is known', () => {
    const refresh = { ...base.refresh, state: 'unconfirmed' } as const
    const still = 'Headroom keeps trying; nothing to do yet.'
    expect(banner({ refresh })?.text).toBe(still)
    expect(banner({ refresh: { ...refresh, reason: 'the answer was malformed' } })?.text).toBe(
      `The answer was malformed. ${still}`,
    )
  })

  it('shows the most urgent one: host, then sign-in, then service, then simulator', () => {
    const refresh = { ...base.refresh, state: 'sign-in-required' } as const
    const all = { profile: simulator, service: unreachable, refresh }
    const lost: Link = { kind: 'lost', sinceMs: NOW_MS, retryAtMs: NOW_MS + 1000 }
    expect(banner(all, lost)?.id).toBe('host-gone')
    expect(banner(all)?.id).toBe('sign-in-required')
    expect(banner({ ...all, refresh: base.refresh })?.id).toBe('service-unreachable')
    expect(banner({ profile: simulator })?.id).toBe('simulated')
  })

  it('tells a restarted host from a page that never had a link', () => {
    const restarted = bannerFor({ kind: 'no-session', why: 'restarted' }, undefined, NOW_MS, NOW_MS)
    expect(restarted?.title).toBe('Headroom restarted. Open the new link from your terminal')
    expect(bannerFor({ kind: 'no-session', why: 'no-code' }, undefined, NOW_MS, NOW_MS)?.id).toBe('no-code')
  })

  it('says that a new token is not saved, and why, before anything else about the store', () => {
    const refresh = { ...base.refresh, stored: 'memory', unsaved: 'the disk is full' } as const
    expect(banner({ refresh, keystore: 'unavailable' })).toEqual({
      id: 'refresh-unsaved',
      severity: 'critical',
      title: 'New refresh token not saved: the disk is full',
      text: 'It is in use from memory. Free some space before quitting.',
      action: 'save-now',
    })
    const locked = { ...refresh, unsaved: 'another program has locked the file' }
    expect(banner({ refresh: locked })?.text).toBe(
      'It is in use from memory. Fix this before you quit, or you must sign in again.',
    )
  })

  it('blames no keyring for what another keystore or passphrase sealed', () => {
    const changed = banner({ keystore: 'key-changed' })
    expect(changed?.title).toBe('The stored token cannot be opened here')
    expect(changed?.text).toMatch(/keystore, key or passphrase.* Nothing was deleted/)
  })

  it('offers to store without protection only while nothing is stored', () => {
    const memory = { ...base.refresh, stored: 'memory' } as const
    expect(banner({ keystore: 'unprotected', refresh: memory })).toMatchObject({
      id: 'keystore-unprotected',
      action: 'store-unprotected',
    })
    const stored = { ...base.refresh, stored: 'sealed' } as const
    expect(banner({ keystore: 'unprotected', refresh: stored })).toBeUndefined()
  })
})
