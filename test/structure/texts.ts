import { parseSync } from 'vite'
import type { Source } from './measure.ts'

/**
 * A text in a source file that a person may read, with its line (from 1). Inserted values are replaced by
 * `…`.
 */
export interface Text {
  readonly path: string
  readonly line: number
  readonly text: string
}

interface Node {
  readonly type: string
  readonly start: number
  readonly [field: string]: unknown
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string'

/** Places of strings that no user reads, such as modules, types, class names and bugs. */
const UNREAD = new Set([
  'ImportDeclaration',
  'ExportNamedDeclaration.source',
  'ExportAllDeclaration',
  'ImportExpression',
  'TSLiteralType',
  'TSEnumMember',
])
const UNREAD_ATTRIBUTE =
  /^(?:className|class|style|d|viewBox|points|transform|key|id|type|role|xmlns)$|^data-/

const isBug = (node: Node): boolean =>
  node.type === 'ThrowStatement' &&
  isNode(node['argument']) &&
  isNode(node['argument']['callee']) &&
  node['argument']['callee']['name'] === 'Error'

function childrenOf(node: Node): readonly Node[] {
  return Object.entries(node)
    .filter(([field]) => !UNREAD.has(`${node.type}.${field}`))
    .flatMap(([, value]) => (Array.isArray(value) ? value : [value]))
    .filter(isNode)
}

/** The text of a literal or template. `…` for any other node. */
function textOf(node: Node): string {
  if (node.type === 'Literal' && typeof node['value'] === 'string') return node['value']
  if (node.type === 'TemplateLiteral') {
    const quasis = node['quasis'] as readonly { value: { cooked: string } }[]
    return quasis.map(({ value }) => value.cooked).join('…')
  }
  if (node.type === 'JSXText') return String(node['value'])
  return '…'
}

/** Strings, templates and element texts of a TypeScript source that contain two words or more. */
export function textsOf({ path, text }: Source): readonly Text[] {
  const { program } = parseSync(path, text)
  const found: Text[] = []
  const add = (start: number, raw: string) => {
    const read = raw.trim()
    if (!/\p{L}{2,}.*[\s].*\p{L}{2,}/u.test(read)) return
    found.push({ path, line: text.slice(0, start).split('\n').length, text: read })
  }
  const visit = (node: Node): void => {
    if (UNREAD.has(node.type) || isBug(node)) return
    if (node.type === 'JSXAttribute' && UNREAD_ATTRIBUTE.test(String((node['name'] as Node)['name']))) return
    if (node.type === 'Literal' || node.type === 'TemplateLiteral') add(node.start, textOf(node))
    if (node.type === 'JSXElement' || node.type === 'JSXFragment') addElement(node)
    for (const child of childrenOf(node)) if (child.type !== 'JSXText') visit(child)
  }
  /** The texts of an element and the values between them are read as one. */
  const addElement = (element: Node) => {
    const children = (element['children'] as readonly Node[]) ?? []
    if (!children.some((child) => child.type === 'JSXText' && textOf(child).trim() !== '')) return
    add(element.start, children.map(inlineText).join('').replaceAll(/\s+/g, ' '))
  }
  visit(program as unknown as Node)
  return found
}

/** The text of a child element: a literal in braces, the text of a small element, or `…`. */
function inlineText(node: Node): string {
  if (node.type === 'JSXText') return textOf(node)
  if (node.type === 'JSXExpressionContainer') return textOf(node['expression'] as Node)
  if (node.type !== 'JSXElement') return '…'
  return (node['children'] as readonly Node[]).map(inlineText).join('')
}
