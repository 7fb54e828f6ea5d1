/** The part of the DOM types used here; the tests have no DOM library. */
interface PageElement {
  readonly childNodes: Iterable<{ readonly nodeType: number; readonly textContent: string | null }>
  readonly parentElement: PageElement | null
  readonly ownerDocument: { readonly defaultView: { getComputedStyle(element: PageElement): ElementStyle } }
}

interface ElementStyle {
  readonly color: string
  readonly backgroundColor: string
}

/** Texts with a contrast below 4.5, as "text: contrast". It runs in the browser, so it must be self-contained. */
export function poorContrasts(elements: readonly PageElement[]): string[] {
  const textNode = 3
  const styleOf = (element: PageElement) => element.ownerDocument.defaultView.getComputedStyle(element)
  const channels = (color: string) => (color.match(/[\d.]+/g) ?? []).map(Number)
  const luminance = (color: string) => {
    const [red = 0, green = 0, blue = 0] = channels(color).map((channel) => {
      const share = channel / 255
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }
  const behind = (element: PageElement | null): string => {
    if (!element) return 'rgb(255, 255, 255)'
    const { backgroundColor } = styleOf(element)
    return channels(backgroundColor)[3] === 0 ? behind(element.parentElement) : backgroundColor
  }
  return elements.flatMap((element) => {
    const texts = [...element.childNodes].filter(({ nodeType }) => nodeType === textNode)
    const text = texts.map(({ textContent }) => textContent?.trim()).join(' ')
    if (!text.trim()) return []
    const [one, other] = [luminance(styleOf(element).color), luminance(behind(element))]
    const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05)
    return contrast < 4.5 ? [`${text}: ${contrast.toFixed(2)}`] : []
  })
}
