import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { projectFolder } from '../desktop/builder-config.ts'

const dashboard = z.looseObject({
  panels: z.array(
    z.looseObject({
      title: z.string(),
      description: z.string(),
      gridPos: z.object({ x: z.number(), y: z.number(), w: z.number(), h: z.number() }),
      targets: z.array(z.looseObject({ expr: z.string() })),
    }),
  ),
  templating: z.object({ list: z.array(z.looseObject({ name: z.string(), query: z.string() })) }),
})

export const DASHBOARD = dashboard.parse(
  JSON.parse(readFileSync(join(projectFolder, 'main', 'packaging', 'grafana-dashboard.json'), 'utf8')),
)

/** Every query of the dashboard, with its variables set to all. */
export const QUERIES: readonly string[] = DASHBOARD.panels.flatMap(({ targets }) =>
  targets.map(({ expr }) => expr.replaceAll(/\$(profile|category)/g, '.*')),
)
