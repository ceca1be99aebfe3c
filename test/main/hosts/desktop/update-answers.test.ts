import { expect, test } from 'vitest'
import type { UpdateState } from '../../../../app/contract/updates.ts'
import { withUpdates } from '../../../../main/hosts/desktop/updates.ts'
import type { WindowSession, Windows } from '../../../../main/hosts/window-session.ts'

test('a desktop page receives a newer version, turns checks on and off, and keeps its other commands', async () => {
  let state: UpdateState = { kind: 'available', version: '2.0.0' }
  const close = () => {}
  const session = { handlers: { windows: () => [] }, close } as unknown as WindowSession
  const windows: Windows = { open: () => session }
  const { open } = withUpdates(windows, {
    state: () => state,
    setWanted: (wanted) => (state = { kind: wanted ? 'none' : 'off' }),
  })
  const { handlers, ...rest } = open({} as Parameters<Windows['open']>[0])
  expect(rest).toEqual({ close })
  expect(await handlers.windows()).toEqual([])
  expect(await handlers.updates()).toEqual({ kind: 'available', version: '2.0.0' })
  expect(await handlers.setCheckForUpdates({ wanted: false })).toEqual({ kind: 'off' })
  expect(await handlers.setCheckForUpdates({ wanted: true })).toEqual({ kind: 'none' })
})
