import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { systemErrorCode } from '../storage/system-error.ts'

/**
 * The built window, read once at start.
 *
 * Requests are looked up by their exact, undecoded path, so no path can lead out of the folder.
 */
export interface WindowFiles {
  /** `path` begins with a slash and has no query. */
  find(path: string): WindowFile | undefined
  /** The page, with `nonce` on its style elements. */
  page(nonce: string): string
}

/** One built file with its HTTP headers. */
export interface WindowFile {
  readonly bytes: Buffer
  readonly contentType: string
  readonly cacheControl: string
}

const PAGE = '/index.html'
const NONCE_MARK = '__CSP_NONCE__'
/** The path of a file whose name contains a hash of its content, as Vite writes it. */
const HASHED = /^\/assets\/.+-[\w-]{8,}\.\w+$/

export const PAGE_CONTENT_TYPE = 'text/html; charset=utf-8'

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': PAGE_CONTENT_TYPE,
  '.ico': 'image/x-icon',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
}

/** Reads the built window. Throws if the folder contains none. */
export function readWindowFiles(folder: string): WindowFiles {
  const files = new Map<string, WindowFile>()
  for (const path of pathsIn(folder, '/')) {
    const contentType = CONTENT_TYPES[extname(path)]
    // Source maps and other build output are not served.
    if (contentType === undefined) continue
    const cacheControl = HASHED.test(path) ? 'public, max-age=31536000, immutable' : 'no-cache'
    files.set(path, { bytes: readFileSync(join(folder, path)), contentType, cacheControl })
  }
  const page = files.get(PAGE)?.bytes.toString('utf8')
  if (page === undefined) throw new Error(`no window in ${folder}: run npm run build`)
  files.delete(PAGE)
  return {
    find: (path) => files.get(path),
    page: (nonce) => page.replaceAll(NONCE_MARK, nonce),
  }
}

/** Whether a path is that of the page. */
export const isWindowPage = (path: string): boolean => path === '/' || path === PAGE

/** Lists the files level by level, because `readdir` inside Electron's archive has no recursion. */
function* pathsIn(folder: string, at: string): Generator<string> {
  for (const entry of listFolder(join(folder, at))) {
    if (entry.isDirectory()) yield* pathsIn(folder, `${at}${entry.name}/`)
    // Symbolic links are skipped: they could lead out of the folder.
    else if (entry.isFile()) yield `${at}${entry.name}`
  }
}

function listFolder(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return []
    throw error
  }
}
