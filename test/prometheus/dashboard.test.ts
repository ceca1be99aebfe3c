import { expect, test } from 'vitest'
import { metricsOf } from '../../main/metrics/metric-list.ts'
import { exampleSnapshot } from '../main/hosts/terminal/example-snapshot.ts'
import { DASHBOARD, QUERIES } from './dashboard.ts'

const metrics = new Map(
  metricsOf({
    snapshots: [exampleSnapshot()],
    restarts: () => new Map(),
    process: { version: '1.2.3', startedMs: 0 },
  }).map((metric) => [metric.name, metric]),
)

/** Each metric in a query, with the conditions on its labels. */
const selectors = (text: string) =>
  [...text.matchAll(/((?:headroom|process)_\w+)(?:\{([^}]*)\})?/g)].map(([, name = '', labels = '']) => ({
    name,
    labels: [...labels.matchAll(/(\w+)\s*=~?/g)].map(([, label = '']) => label),
  }))

test('every metric and label in the dashboard is exported', () => {
  const lists = DASHBOARD.templating.list.map(({ query }) => query)
  const asked = [...QUERIES, ...lists].flatMap(selectors)
  expect(asked.length).toBeGreaterThan(15)
  expect(asked.map(({ name }) => name).filter((name) => !metrics.has(name))).toEqual([])
  for (const { name, labels } of asked) {
    const told = Object.keys(metrics.get(name)?.samples[0]?.labels ?? {})
    if (told.length > 0) expect([name, labels.filter((label) => !told.includes(label))]).toEqual([name, []])
  }
})

test('counters are queried by their growth, and no panel overlaps another', () => {
  for (const query of QUERIES) {
    for (const [, before = '', name = ''] of query.matchAll(/(\w*\(?)(headroom_\w+_total)/g)) {
      expect([name, before]).toEqual([name, expect.stringMatching(/^(rate|increase)\($/)])
    }
  }
  const cells = DASHBOARD.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, index) => `${x + (index % w)},${y + Math.floor(index / w)}`),
  )
  expect(new Set(cells).size).toBe(cells.length)
  expect(Math.max(...DASHBOARD.panels.map(({ gridPos: { x, w } }) => x + w))).toBeLessThanOrEqual(24)
})
