import type { FileCase } from './file-case.ts'
import { headerCases } from './header-cases.ts'
import { layoutCases } from './layout-cases.ts'
import { peopleCases } from './people-cases.ts'
import { textCases } from './text-cases.ts'
import { valueCases } from './value-cases.ts'

export const fileCases: readonly FileCase[] = [
  ...valueCases,
  ...peopleCases,
  ...layoutCases,
  ...headerCases,
  ...textCases,
]
