import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { findProjectDir } from '../../../../src/operations/config.ts'

/** A colour of a text and the one behind it, as they are on a page; `sample` is one such text. */
interface ColourPair {
  text: string
  background: string
  isLarge: boolean
  sample: string
}

type Theme = ReadonlyMap<string, string>

/** The colours of the console by the name of their token, in the form in which a browser reports them. */
function readThemes(css = readThemeFile()): { light: Theme; dark: Theme } {
  const tokensIn = (block: string) =>
    new Map([...block.matchAll(/--color-([\w-]+): (#[0-9a-f]{6});/g)].map(([, name, hex]) => [name!, toRgb(hex!)]))
  const [light = '', dark = ''] = css.split('[data-theme="dark"] {')
  return { light: tokensIn(light), dark: tokensIn(dark) }
}

function readThemeFile(): string {
  return readFileSync(join(findProjectDir(import.meta.dirname), 'console/src/ui/theme.css'), 'utf8')
}

function toRgb(hex: string): string {
  const parts = [1, 3, 5].map((start) => Number.parseInt(hex.slice(start, start + 2), 16))
  return `rgb(${parts.join(', ')})`
}

/** WCAG's ratio of two opaque colours, 1 to 21. */
function contrastOf(one: string, other: string): number {
  const [light, dark] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => b - a)
  return (light! + 0.05) / (dark! + 0.05)
}

function luminanceOf(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [...colour.matchAll(/\d+/g)].map(([part]) => {
    const share = Number(part) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

// A tooltip is the other way round: the page's colour on that of its text.
const isBehind = (name: string) =>
  /^(bg|surface|sunken|hover|line|accent|accent-hover|danger|danger-hover|text)$|-soft$/.test(name)
const isOfText = (name: string) => /^(text|muted|on-accent|bg)$|-text$/.test(name)

const themes = readThemes()
const judged = new Map<string, string | null>()

/**
 * What is wrong with a pair, in the light or in the dark: the page shows one of them, the tokens say the other. A pair is
 * measured once. A colour that is no token is a fault too, as nobody knows it in the dark.
 */
export function judgePair({ text, background, isLarge }: Omit<ColourPair, 'sample'>): string | null {
  const key = `${text} ${background} ${isLarge}`
  const known = judged.get(key)
  if (known !== undefined) return known
  const fault = findFault(text, background, isLarge ? 3 : 4.5)
  judged.set(key, fault)
  return fault
}

function findFault(text: string, background: string, least: number): string | null {
  const nameOf = (colour: string, fits: (name: string) => boolean) =>
    [...themes.light].find(([name, value]) => value === colour && fits(name))?.[0]
  const [of, on] = [nameOf(text, isOfText), nameOf(background, isBehind)]
  if (!of || !on) return `${text} on ${background}: no pair of tokens (${of ?? '?'} on ${on ?? '?'})`
  const poor = Object.entries(themes).flatMap(([theme, tokens]) => {
    const ratio = contrastOf(tokens.get(of) ?? text, tokens.get(on) ?? background)
    return ratio < least ? [`${ratio.toFixed(2)} in ${theme}`] : []
  })
  return poor.length > 0 ? `${of} on ${on}: ${poor.join(', ')}, not ${least}` : null
}

/** The faults of all texts of a page that is shown in light. */
export async function findPoorContrasts(page: Page): Promise<string[]> {
  const pairs: ColourPair[] = await page.evaluate(collectPairs)
  return pairs.flatMap((pair) => {
    const fault = judgePair(pair)
    return fault ? [`${fault} ("${pair.sample}")`] : []
  })
}

// Runs in the page: what each visible text and the first opaque thing behind it are painted with. Texts of what is switched
// off, or drawn paler for a moment, have no least contrast.
const collectPairs = `(() => {
  const found = new Map()
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement
    if (!node.data.trim() || !element.checkVisibility({ visibilityProperty: true })) continue
    if (element.closest('[disabled], [aria-disabled=true], [data-disabled], svg, script, style, noscript')) continue
    let background = null
    let isPale = false
    for (let behind = element; behind; behind = behind.parentElement) {
      const style = getComputedStyle(behind)
      if (Number(style.opacity) < 1) isPale = true
      if (!background && !/, 0\\)$|transparent/.test(style.backgroundColor)) background = style.backgroundColor
    }
    const { color, fontSize, fontWeight } = getComputedStyle(element)
    // What shines through is left to axe, in the deep run.
    if (isPale || !background || /^rgba|\\/ [\\d.]+\\)$/.test(background)) continue
    const { width, height } = element.getBoundingClientRect()
    // A text for screen readers alone.
    if (width <= 1 || height <= 1) continue
    const pixels = parseFloat(fontSize)
    const isLarge = pixels >= 24 || (pixels >= 18.66 && Number(fontWeight) >= 700)
    const key = [color, background, isLarge].join()
    if (!found.has(key)) found.set(key, { text: color, background, isLarge, sample: node.data.trim().slice(0, 40) })
  }
  return [...found.values()]
})()`
