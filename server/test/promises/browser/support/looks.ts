import { mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { AxeResults, RunOptions } from 'axe-core'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { untilLoaded } from './console-page.ts'
import { findPoorContrasts } from './contrast.ts'

interface Variant {
  name: string
  colorScheme: 'light' | 'dark'
  width: number
  height: number
}

const light: Variant = { name: 'light', colorScheme: 'light', width: 1_280, height: 800 }
/** The ways in which the deep run looks at every page; `npm test` looks once, in light. */
export const everyVariant: readonly Variant[] = [
  light,
  { name: 'dark', colorScheme: 'dark', width: 1_280, height: 800 },
  { name: 'phone', colorScheme: 'light', width: 390, height: 844 },
]
export const seesEveryVariant = process.env.STOREDEX_LOOKS === 'every'

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/**
 * Expects the page, once it is loaded, to be accessible and to fit its width. In light, the contrast of its texts is judged for
 * both themes by the colours' tokens; in the deep run axe measures it as well, and looks at the page in dark and on a phone.
 * With STOREDEX_SCREENSHOTS it also writes `<name>-<variant>.png` to that folder.
 */
export async function expectGoodLooks(
  page: Page,
  name: string,
  variants: readonly Variant[] = seesEveryVariant ? everyVariant : [light],
): Promise<void> {
  for (const variant of variants) {
    await show(page, variant)
    await screenshot(page, `${name}-${variant.name}`)
    if (variant === light) expect(await findPoorContrasts(page), `contrasts of ${name}`).toEqual([])
    // A phone shows the colours of a desk.
    const contrast = variants.length > 1 && variant.name !== 'phone'
    expect(await runAxe(page, { contrast }), `${name}, ${variant.name}`).toEqual([])
    const width = await page.locator('html').evaluate((html) => html.scrollWidth)
    expect(width, `width of ${name}, ${variant.name}`).toBe(variant.width)
  }
  if (variants.length > 1) await show(page, light)
}

async function show(page: Page, { colorScheme, width, height }: Variant): Promise<void> {
  await page.setViewportSize({ width, height })
  await page.emulateMedia({ colorScheme })
  // A script of the console sets it when the browser's preference changes.
  const html = page.locator(`html[data-theme=${colorScheme}]`)
  await html.waitFor()
  // Colours fade, and axe would measure them half-way.
  const hasTransitions = () =>
    html.evaluate(({ ownerDocument }) =>
      ownerDocument.getAnimations().some((animation: object) => animation.constructor.name === 'CSSTransition'),
    )
  await untilLoaded(page)
  await expect.poll(hasTransitions).toBe(false)
}

/** A page of any browser's library. */
interface Photographed {
  screenshot(options: { path: `${string}.png`; fullPage: true }): Promise<unknown>
}

/** Writes a picture to the folder that STOREDEX_SCREENSHOTS names; without it, nothing. */
export async function screenshot(page: Photographed, name: string): Promise<void> {
  const folder = process.env.STOREDEX_SCREENSHOTS
  if (!folder) return
  mkdirSync(folder, { recursive: true })
  await page.screenshot({ path: `${join(folder, name)}.png`, fullPage: true })
}

const axeOptions = (contrast: boolean): RunOptions => ({
  resultTypes: ['violations'],
  // WCAG 2.2; off by default.
  rules: { 'target-size': { enabled: true }, 'color-contrast': { enabled: contrast } },
})

/** The violations that axe finds, as lines: rule, what is wrong, where. */
export async function runAxe(page: Page, { contrast = true } = {}): Promise<string[]> {
  if (!(await page.evaluate('"axe" in globalThis'))) {
    const devtools = await page.context().newCDPSession(page)
    // Not as a script of the page: the Content-Security-Policy would refuse it.
    await devtools.send('Runtime.evaluate', { expression: axeSource })
    await devtools.detach()
  }
  const run = (options: RunOptions) => (globalThis as unknown as { axe: typeof import('axe-core') }).axe.run(options)
  const { violations } = await page.evaluate(run, axeOptions(contrast))
  return violations.flatMap(describeViolation)
}

function describeViolation({ id, help, nodes }: AxeResults['violations'][number]): string[] {
  return nodes.map(({ target, failureSummary }) => `${id}: ${help}: ${target.join(' ')}\n${failureSummary}`)
}
