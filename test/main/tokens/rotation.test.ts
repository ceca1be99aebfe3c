import fc from 'fast-check'
import { expect, test } from 'vitest'
import { proves } from '../../proof/proves.ts'
import { VirtualClock } from '../../simulation/virtual-clock.ts'
import { renewal, ScriptedHttp } from '../scripted-http.ts'
import { keeperOf } from './keeper-of.ts'
import { RecordingStore } from './recording-store.ts'

const MINUTE_MS = 60_000

test('whichever responses contain a new refresh token, the last one is sent, and the key rotates from the first on', async () => {
  const runs = 300
  await fc.assert(
    fc.asyncProperty(fc.array(fc.boolean(), { minLength: 1, maxLength: 12 }), async (rotates) => {
      const clock = new VirtualClock()
      const http = new ScriptedHttp()
      const store = new RecordingStore('refresh-0', clock.wallMs())
      const sent: (string | null)[] = []
      http.reply = ({ body = '' }) => {
        sent.push(new URLSearchParams(body).get('refresh_token'))
        const isNew = rotates[sent.length - 1] === true
        return renewal(`a${sent.length}`, isNew ? { refresh_token: `refresh-${sent.length}` } : {})
      }
      const keeper = keeperOf(store, {
        http,
        clock,
      })
      keeper.start()
      await clock.advance(0)
      for (let answers = 1; answers <= rotates.length; answers += 1) {
        const newest = rotates.slice(0, answers).lastIndexOf(true) + 1
        expect(store.stored.token.refreshToken).toBe(`refresh-${newest}`)
        expect(keeper.refreshSummary().rotating).toBe(newest > 0)
        while (sent.length === answers && answers < rotates.length) await clock.advance(MINUTE_MS)
        if (answers < rotates.length) expect(sent.at(-1)).toBe(`refresh-${newest}`)
      }
      keeper.stop()
    }),
    { numRuns: runs },
  )
  proves('T12', { level: 2, cases: runs })
})
