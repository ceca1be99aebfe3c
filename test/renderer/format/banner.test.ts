import '../utc.ts'
import { describe, expect, it } from 'vitest'
import type { Link } from '../../../renderer/api/window-api.ts'
import { bannerFor } from '../../../renderer/format/banner.ts'
import { NOW_MS, snapshot } from '../fixtures.ts'

const LIVE: Link = { kind: 'live' }
const base = snapshot()
const banner = (more: Parameters<typeof snapshot>[0], link: Link = LIVE) =>
  bannerFor(link, snapshot(more), NOW_MS)

const simulator = { id: 'main', name: 'Simulator', environment: 'simulator' } as const

describe('the banner', () => {
  it('is absent when all is fine', () => {
    expect(banner({})).toBeUndefined()
  })

  it('says that numbers come from the simulator', () => {
    expect(banner({ profile: simulator })).toMatchObject({
      id: 'simulated',
      title: 'Simulated brokerage',
      text: 'These numbers come from the built-in simulator.',
      action: 'connect-a-key',
    })
  })

  it('reports first that the host stopped responding, and leaves conditions of the key to the headline', () => {
    const refresh = { ...base.refresh, state: 'sign-in-required' } as const
    const service = { reachable: false, host: 'api.example.com', since: NOW_MS - 123_000 }
    const lost: Link = { kind: 'lost', sinceMs: NOW_MS, retryAtMs: NOW_MS + 1000 }
    expect(banner({ profile: simulator, service, refresh }, lost)?.id).toBe('host-gone')
    expect(banner({ profile: simulator, service, refresh })?.id).toBe('simulated')
    expect(banner({ service, refresh })).toBeUndefined()
  })

  it('a sixth tab of a browser names what to close, and offers another try', () => {
    const { title, text, action } = bannerFor({ kind: 'too-many-tabs' }, undefined, NOW_MS) ?? {}
    expect(`${title}. ${text}`).toBe('Headroom is open in 5 tabs of this browser. Close one.')
    expect(action).toBe('reach-host')
  })

  it('distinguishes a restarted host from a page that never had a link', () => {
    const restarted = bannerFor({ kind: 'no-session', why: 'restarted' }, undefined, NOW_MS)
    expect(restarted?.title).toBe('Headroom restarted. Open the new link from your terminal')
    expect(bannerFor({ kind: 'no-session', why: 'no-code' }, undefined, NOW_MS)?.id).toBe('no-code')
  })
})
