import { setImmediate } from 'node:timers/promises'
import { expect, test } from '@playwright/test'
import { snapshotOf } from '../main/hosts/browser/fake-windows.ts'
import { startHost } from '../main/hosts/browser/started-host.ts'
import { provesInBrowser } from '../proof/proves-in-browser.ts'

const SNAPSHOTS = 4_000
const EVENTS = 20
/** Makes a snapshot as large as one with some hundred rows. */
const WEIGHT = 'x'.repeat(32_000)

interface Read {
  readonly bytes: number
  readonly revision: number
  readonly events: readonly number[]
}

test('a window that reads late gets the latest snapshot and every event', async ({ page }) => {
  const host = await startHost()
  const { port, windows } = host
  await page.goto(`http://127.0.0.1:${port}/`)
  const pushes = await page.evaluateHandle(
    async (bearer) => {
      const { body } = await fetch('/api/pushes', { headers: { authorization: `Bearer ${bearer}` } })
      // The page does not read the body from now on.
      return body
    },
    await host.bearer(),
  )

  const [session] = windows.sessions
  const { profile, ...others } = snapshotOf('p1', 0)
  for (let revision = 1; revision <= SNAPSHOTS; revision += 1) {
    session?.pushes.snapshotChanged({ ...others, profile: { ...profile, name: WEIGHT }, revision })
    const seq = (revision * EVENTS) / SNAPSHOTS
    if (Number.isInteger(seq)) session?.pushes.eventHappened({ kind: 'revoked', seq, at: 0, profile: 'p1' })
    // Lets the event loop send what was written, as far as the client reads it.
    await setImmediate()
  }

  const reading = await pushes.evaluateHandle((body): Read => {
    const read = { bytes: 0, revision: 0, events: [] as number[] }
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
    let rest = ''
    const readOn = async (): Promise<void> => {
      const { value } = (await reader?.read()) ?? {}
      if (value === undefined) return
      read.bytes += value.length
      const lines = `${rest}${value}`.split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines.filter(Boolean)) {
        const push = JSON.parse(line)
        if (push.channel === 'eventHappened') read.events.push(push.value.seq)
        else read.revision = push.value.revision
      }
      return readOn()
    }
    // A broken connection shows as missing data below.
    readOn().catch(() => {})
    return read
  })
  await expect.poll(async () => (await reading.jsonValue()).revision).toBe(SNAPSHOTS)
  const { events, bytes } = await reading.jsonValue()
  expect(events).toEqual(Array.from({ length: EVENTS }, (_, index) => index + 1))
  // The rest was never written. What the window read had already been in transit when it stopped.
  expect(bytes).toBeLessThan((SNAPSHOTS * WEIGHT.length) / 4)
  await host.stop()
  provesInBrowser('W6', SNAPSHOTS)
})
