import { arch, cpus, platform, release, totalmem } from 'node:os'

export interface Machine {
  readonly processor: string
  readonly cores: number
  readonly memoryGb: number
  readonly node: string
  readonly system: string
}

/** What a reader needs to compare results. Contains nothing that identifies the owner of the machine. */
export function thisMachine(): Machine {
  return {
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    node: process.versions.node,
    system: `${platform()} ${release().split('-')[0]} ${arch()}`,
  }
}

export function machineWords({ processor, cores, memoryGb, node, system }: Machine): string {
  return `${processor}, ${cores} cores, ${memoryGb} GB, Node ${node}, ${system}`
}
