/** The few shapes that charts are drawn of, as text of an SVG file. */

export const colours = ['#0b6e4f', '#b5179e', '#d17b0f', '#2b59c3', '#6c757d', '#a4243b']

export function svg(title: string, width: number, height: number, parts: readonly string[]): string {
  const head = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="13">`
  const paper = `<rect width="${width}" height="${height}" fill="#fff"/>`
  const name = `<title>${title}</title>`
  return `${[head, name, paper, text(20, 24, title, 'start'), ...parts, '</svg>'].join('\n')}\n`
}

const round = (value: number) => Math.round(value * 10) / 10

export function circle(x: number, y: number, radius: number, colour: string): string {
  return `<circle cx="${round(x)}" cy="${round(y)}" r="${radius}" fill="${colour}" fill-opacity="0.6"/>`
}

export function line(x1: number, y1: number, x2: number, y2: number, colour: string, thickness: number): string {
  return `<line x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}" stroke="${colour}" stroke-width="${thickness}"/>`
}

export function text(x: number, y: number, words: string, anchor: 'start' | 'middle' | 'end', colour = '#333'): string {
  const escaped = words.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  return `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}" fill="${colour}">${escaped}</text>`
}
