/** The small documents of a workbook beside its sheets (ECMA-376, parts 1 and 2). */
import { columnLetters } from '../grid.ts'
import { encodeXmlText } from './cells.ts'

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const types = 'application/vnd.openxmlformats-officedocument.spreadsheetml'
export const workbookMediaType = `${types}.sheet`
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const packages = 'http://schemas.openxmlformats.org/package/2006'
export const mainNamespace = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'

/**
 * The entries before the first sheet, in the order by which programs recognise a workbook. Sheets have the default type of XML, so
 * that this does not depend on how many there will be.
 */
export function partsBefore(createdAt: Date): Record<string, string> {
  return {
    '[Content_Types].xml': `${declaration}<Types xmlns="${packages}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="${types}.worksheet+xml"/><Override PartName="/xl/workbook.xml" ContentType="${types}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${types}.styles+xml"/><Override PartName="/docProps/core.xml" ContentType="application/vnd.openxmlformats-package.core-properties+xml"/></Types>`,
    '_rels/.rels': `${declaration}<Relationships xmlns="${packages}/relationships"><Relationship Id="rId1" Type="${office}/officeDocument" Target="xl/workbook.xml"/><Relationship Id="rId2" Type="${packages}/relationships/metadata/core-properties" Target="docProps/core.xml"/></Relationships>`,
    'xl/styles.xml': styles,
    'docProps/core.xml': `${declaration}<cp:coreProperties xmlns:cp="${packages}/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><dc:creator>Storedex</dc:creator><dcterms:created xsi:type="dcterms:W3CDTF">${createdAt.toISOString().slice(0, 19)}Z</dcterms:created></cp:coreProperties>`,
  }
}

/** `cellStyles` are the indexes of `cellXfs`. */
const styles = `${declaration}<styleSheet xmlns="${mainNamespace}"><numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/><numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd"/></numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/><family val="2"/></font><font><b/><sz val="11"/><name val="Calibri"/><family val="2"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="4"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/><xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="165" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`

export interface WrittenSheet {
  /** Without the header. */
  rows: number
}

/** The entries behind the last sheet, which know how long each is. */
export function partsBehind(
  sheetName: string,
  sheets: readonly WrittenSheet[],
  columns: number,
): Record<string, string> {
  const names = sheets.map((_, index) => (index === 0 ? cleanSheetName(sheetName) : `Part ${index + 1}`))
  const elements = names.map(
    (name, index) => `<sheet name="${attribute(name)}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`,
  )
  const filters = names.map(
    (name, index) =>
      `<definedName name="_xlnm._FilterDatabase" localSheetId="${index}" hidden="1">'${encodeXmlText(name)}'!$A$1:$${columnLetters(columns - 1)}$${sheets[index]!.rows + 1}</definedName>`,
  )
  const relations = names.map(
    (_, index) =>
      `<Relationship Id="rId${index + 1}" Type="${office}/worksheet" Target="worksheets/sheet${index + 1}.xml"/>`,
  )
  return {
    'xl/workbook.xml': `${declaration}<workbook xmlns="${mainNamespace}" xmlns:r="${office}"><bookViews><workbookView/></bookViews><sheets>${elements.join('')}</sheets><definedNames>${filters.join('')}</definedNames></workbook>`,
    'xl/_rels/workbook.xml.rels': `${declaration}<Relationships xmlns="${packages}/relationships">${relations.join('')}<Relationship Id="rId${names.length + 1}" Type="${office}/styles" Target="styles.xml"/></Relationships>`,
  }
}

/** Excel repairs workbooks with other names. */
function cleanSheetName(name: string): string {
  const clean = name.toWellFormed().replace(/[\p{Cc}[\]:*?/\\']/gu, ' ')
  const short = clean.slice(0, 31).toWellFormed().trim()
  return short === '' || /^history$/i.test(short) ? `${short} 1`.trimStart() : short
}

function attribute(text: string): string {
  return encodeXmlText(text).replaceAll('"', '&quot;')
}
