import { expect, test } from 'vitest'
import { CHOSEN_IN_MENU, updateLabel, updateText } from '../../../app/status/update-status.ts'

const version = '2.0.0'

test('every update state is a sentence that matches the label in the menu', () => {
  const texts = (['available', 'downloading', 'ready', 'failed'] as const).map((kind) => {
    const state = { kind, version }
    return [updateText(state), updateLabel(state)]
  })
  expect(texts).toEqual([
    [`Headroom 2.0.0 is out. ${CHOSEN_IN_MENU}`, 'Get Headroom 2.0.0…'],
    ['Downloading Headroom 2.0.0…', 'Downloading Headroom 2.0.0…'],
    [`Headroom 2.0.0 is downloaded. ${CHOSEN_IN_MENU}`, 'Restart to Install Headroom 2.0.0'],
    [
      'Headroom 2.0.0 couldn’t be downloaded. Open its page from the menu.',
      'Headroom 2.0.0 Could Not Be Downloaded: Open Its Page…',
    ],
  ])
})

test('without a newer version, the settings give the reason, and the menu has no item for it', () => {
  expect(updateText({ kind: 'no-feed' })).toBe(
    'This Headroom was built on this computer, so it gets no updates.',
  )
  expect(updateLabel({ kind: 'no-feed' })).toBe('No Updates: Built on This Computer')
  expect([updateText({ kind: 'off' }), updateLabel({ kind: 'off' })]).toEqual([
    'Update checks are off.',
    undefined,
  ])
  expect([updateText({ kind: 'none' }), updateLabel({ kind: 'none' })]).toEqual([
    'No newer version found.',
    undefined,
  ])
})
