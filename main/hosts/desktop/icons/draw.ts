import type { Severity } from '../../../../app/contract/severity.ts'
import type { Picture } from './png.ts'

type Colour = readonly [red: number, green: number, blue: number]
/** Whether a point is inside a shape. Coordinates are from 0 to 1, measured from the top left corner. */
type Inside = (x: number, y: number) => boolean
interface Layer {
  readonly colour: Colour
  readonly inside: Inside
}

/** Samples per pixel along each axis, for smooth edges. */
const SAMPLES = 4

const AMBER: Colour = [0xe9, 0xa2, 0x3b]
const COLOURS: Readonly<Record<Severity, Colour>> = {
  ok: [0x4e, 0xa8, 0xde],
  warning: AMBER,
  watch: AMBER,
  critical: [0xea, 0x61, 0x39],
  unknown: [0x8d, 0x98, 0xa8],
}
const BLACK: Colour = [0, 0, 0]

const circle =
  (radius: number): Inside =>
  (x, y) =>
    Math.hypot(x - 0.5, y - 0.5) <= radius
const rectangle =
  (left: number, top: number, right: number, bottom: number): Inside =>
  (x, y) =>
    x >= left && x <= right && y >= top && y <= bottom
const but =
  (outer: Inside, inner: Inside): Inside =>
  (x, y) =>
    outer(x, y) && !inner(x, y)

const SHAPES: Readonly<Record<Severity, Inside>> = {
  ok: circle(0.36),
  warning: rectangle(0.16, 0.16, 0.84, 0.84),
  watch: but(rectangle(0.16, 0.16, 0.84, 0.84), rectangle(0.28, 0.28, 0.72, 0.72)),
  critical: (x, y) => y >= 0.1 && y <= 0.88 && Math.abs(x - 0.5) <= ((y - 0.1) / 0.78) * 0.45,
  unknown: but(circle(0.36), circle(0.24)),
}

/** The tray icon of a severity. macOS colours a template image itself and uses only its alpha channel. */
export function trayPicture(severity: Severity, size: number, isTemplate: boolean): Picture {
  return draw(size, [{ colour: isTemplate ? BLACK : COLOURS[severity], inside: SHAPES[severity] }])
}

/** The app's icon (renderer/shell/icon.svg): two bars of use and one of headroom. */
export function appPicture(size: number): Picture {
  const unit = 16
  const bar = (left: number, top: number, width: number, height: number) =>
    rectangle(left / unit, top / unit, (left + width) / unit, (top + height) / unit)
  return draw(size, [
    { colour: [0x15, 0x1a, 0x21], inside: roundedSquare(0.04, 3 / unit) },
    { colour: COLOURS.ok, inside: bar(3, 4, 2.6, 8) },
    { colour: COLOURS.ok, inside: bar(6.7, 4, 2.6, 8) },
    { colour: COLOURS.ok, inside: but(bar(10.4, 4, 2.8, 8), bar(11.2, 4.8, 1.2, 6.4)) },
  ])
}

function roundedSquare(margin: number, radius: number): Inside {
  const half = 0.5 - margin
  return (x, y) => {
    const acrossCorner = Math.max(0, Math.abs(x - 0.5) - (half - radius))
    const downCorner = Math.max(0, Math.abs(y - 0.5) - (half - radius))
    return Math.hypot(acrossCorner, downCorner) <= radius
  }
}

/** Draws layers. Later ones cover earlier ones. */
function draw(size: number, layers: readonly Layer[]): Picture {
  const rgba = new Uint8Array(size * size * 4)
  for (let y = 0; y < size; y += 1)
    for (let x = 0; x < size; x += 1) rgba.set(pixel(x, y, size, layers), (y * size + x) * 4)
  return { size, rgba }
}

function pixel(x: number, y: number, size: number, layers: readonly Layer[]): readonly number[] {
  let [red, green, blue, hits] = [0, 0, 0, 0]
  for (let sample = 0; sample < SAMPLES * SAMPLES; sample += 1) {
    const atX = (x + ((sample % SAMPLES) + 0.5) / SAMPLES) / size
    const atY = (y + (Math.floor(sample / SAMPLES) + 0.5) / SAMPLES) / size
    const top = layers.findLast(({ inside }) => inside(atX, atY))
    if (top === undefined) continue
    red += top.colour[0]
    green += top.colour[1]
    blue += top.colour[2]
    hits += 1
  }
  if (hits === 0) return [0, 0, 0, 0]
  const mean = (sum: number) => Math.round(sum / hits)
  return [mean(red), mean(green), mean(blue), Math.round((hits / (SAMPLES * SAMPLES)) * 255)]
}
