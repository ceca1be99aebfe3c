import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { chromium } from '@playwright/test'

/**
 * The same engine without a desktop's compositor, which saves a third of the processor time of the window's
 * tests.
 */
const HEADLESS_SHELL = 'chromium-headless-shell'

const PATH_NAMES = [
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
  'msedge',
]

const MAC_APPS = [
  'Google Chrome.app/Contents/MacOS/Google Chrome',
  'Chromium.app/Contents/MacOS/Chromium',
  'Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
]
const WINDOWS_APPS = [
  'Google\\Chrome\\Application\\chrome.exe',
  'Chromium\\Application\\chrome.exe',
  'Microsoft\\Edge\\Application\\msedge.exe',
]

type Environment = Readonly<Record<string, string | undefined>>

export interface ChromiumPlaces {
  readonly platform: NodeJS.Platform
  readonly environment: Environment
  /** Where Playwright puts its own download. */
  readonly playwrightPath: () => string
  readonly isExecutable: (path: string) => boolean
}

/** A Chromium of this machine: the one in HEADROOM_CHROMIUM, else a headless shell, else a whole browser. */
export function findChromium(places: ChromiumPlaces = thisMachine()): string | undefined {
  return candidates(places).find(places.isExecutable)
}

function candidates({ platform, environment, playwrightPath }: ChromiumPlaces): readonly string[] {
  const { HEADROOM_CHROMIUM = '', PATH = '', HOME = '' } = environment
  const suffix = platform === 'win32' ? '.exe' : ''
  const folders = PATH.split(delimiter).filter((folder) => folder !== '')
  const onPath = (names: readonly string[]) =>
    folders.flatMap((folder) => names.map((name) => join(folder, `${name}${suffix}`)))
  const found = HEADROOM_CHROMIUM === '' ? [] : [HEADROOM_CHROMIUM]
  found.push(...onPath([HEADLESS_SHELL]), ...onPath(PATH_NAMES))
  if (platform === 'darwin') {
    for (const folder of ['/Applications', join(HOME, 'Applications')]) {
      found.push(...MAC_APPS.map((app) => join(folder, app)))
    }
  }
  if (platform === 'win32') {
    const { PROGRAMFILES, LOCALAPPDATA } = environment
    for (const folder of [PROGRAMFILES, environment['PROGRAMFILES(X86)'], LOCALAPPDATA]) {
      if (folder !== undefined) found.push(...WINDOWS_APPS.map((app) => join(folder, app)))
    }
  }
  found.push(playwrightPath())
  return found
}

/**
 * Flags for a test's browser. As root, it only starts without its sandbox. The other flags avoid background
 * work and requests to the network.
 */
export function chromiumArgs(): string[] {
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  return [
    ...sandbox,
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ]
}

function thisMachine(): ChromiumPlaces {
  return {
    platform: process.platform,
    environment: process.env,
    playwrightPath: () => chromium.executablePath(),
    isExecutable: (path) => {
      try {
        accessSync(path, constants.X_OK)
        return statSync(path).isFile()
      } catch {
        return false
      }
    },
  }
}
