import { expect, test } from 'vitest'
import { createStore } from 'zustand/vanilla'
import {
  chooseCategory,
  chooseIfRow,
  chosenCategory,
  firstChoice,
} from '../../../renderer/capacity/chosen-category.ts'
import { createLook } from '../../../renderer/state/look.ts'
import { EMPTY_MIRROR } from '../../../renderer/state/mirror-state.ts'
import { createView } from '../../../renderer/state/view-state.ts'
import { NOW_MS, quota, snapshot } from '../fixtures.ts'

const shown = snapshot()

function parts() {
  const storage = { getItem: () => null, setItem: () => {}, removeItem: () => {} }
  const look = createLook({ storage, root: { dataset: {} } as HTMLElement })
  const mirror = createStore(() => ({ ...EMPTY_MIRROR, snapshots: [shown] }))
  return { view: createView(), look, mirror }
}

test('the chart shows the chosen row, or follows the worst one', () => {
  expect(chosenCategory(shown, { chosen: 'Balances', followsWorst: false })).toBe('Balances')
  expect(chosenCategory(shown, { chosen: 'Balances', followsWorst: true })).toBe('Positions')
  expect(chosenCategory(shown, { chosen: 'Gone', followsWorst: false })).toBe('Positions')
  const calm = { ...shown, verdict: { kind: 'unknown' } as const }
  expect(chosenCategory(calm, { chosen: undefined, followsWorst: true })).toBe('Accounts')
  expect(chosenCategory({ ...calm, requests: [] }, { chosen: 'A', followsWorst: false })).toBeUndefined()
})

test('the chart starts with the worst row, and moves to one in trouble while its own is well', () => {
  const at = (accounts: 'ok' | 'low', worst = 'Positions', state: 'ok' | 'low' = 'low') =>
    snapshot({
      requests: [
        quota('Accounts', 320, 300, 60, { state: accounts }),
        quota('Positions', 320, 300, 9, { state }),
      ],
      verdict: { kind: 'runs-out', category: worst, at: NOW_MS },
    })
  expect(firstChoice(at('ok'), undefined)).toBe('Positions')
  expect(firstChoice(at('ok'), 'Accounts')).toBe('Positions')
  expect(firstChoice(at('low'), 'Accounts')).toBeUndefined()
  expect(firstChoice(at('ok', 'Positions', 'ok'), 'Accounts')).toBeUndefined()
})

test('choosing a row ends following the worst', () => {
  const { view, look } = parts()
  look.setState({ followsWorst: true })
  chooseCategory({ view, look }, 'Balances')
  expect([view.getState().category, look.getState().followsWorst]).toEqual(['Balances', false])
})

test('an alert about a stream leaves the chosen row, one about a row chooses it', () => {
  const all = parts()
  chooseCategory(all, 'Balances')
  chooseIfRow(all, 'main', 's3')
  chooseIfRow(all, 'other', 'Accounts')
  expect(all.view.getState().category).toBe('Balances')
  chooseIfRow(all, 'main', 'Accounts')
  expect(all.view.getState().category).toBe('Accounts')
})
