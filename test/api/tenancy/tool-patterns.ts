// Permissions for the tools. patterns.ts explains how to read a table. On /mcp every tool rejects user tokens in the
// same way.

export const TOOL_TABLES = {
  'tool that lists': `
                      -/-       home/-     foreign/-  missing/-
    nobody            unknown   unknown    unknown    unknown
    any utok_         denied    denied     denied     denied
    owner ntok_       ok        ok         denied     denied
    member ntok_      ok        ok         denied     denied
    viewer ntok_      ok        ok         denied     denied
    outsider ntok_    ok        denied     ok         denied
    admin ntok_       ok        denied     denied     denied`,

  'tool that writes': `
                      -/-       home/-     foreign/-  missing/-
    nobody            unknown   unknown    unknown    unknown
    any utok_         denied    denied     denied     denied
    owner ntok_       ok        ok         denied     denied
    member ntok_      ok        ok         denied     denied
    viewer ntok_      denied    denied     denied     denied
    outsider ntok_    ok        denied     ok         denied
    admin ntok_       ok        denied     denied     denied`,

  'tool that reads an object': `
                      -/home    -/foreign  -/missing  home/home  home/foreign  home/missing  foreign/foreign  missing/home
    nobody            unknown   unknown    unknown    unknown    unknown       unknown       unknown          unknown
    any utok_         denied    denied     denied     denied     denied        denied        denied           denied
    owner ntok_       ok        absent     absent     ok         absent        absent        denied           denied
    member ntok_      ok        absent     absent     ok         absent        absent        denied           denied
    viewer ntok_      ok        absent     absent     ok         absent        absent        denied           denied
    outsider ntok_    absent    ok         absent     denied     denied        denied        ok               denied
    admin ntok_       absent    absent     absent     denied     denied        denied        denied           denied`,

  'tool that reads of an alias': `
                      -/home    -/foreign  -/missing  home/home  home/foreign  home/missing  foreign/foreign  missing/home
    nobody            unknown   unknown    unknown    unknown    unknown       unknown       unknown          unknown
    any utok_         denied    denied     denied     denied     denied        denied        denied           denied
    owner ntok_       ok        ok         ok         ok         ok            ok            denied           denied
    member ntok_      ok        ok         ok         ok         ok            ok            denied           denied
    viewer ntok_      ok        ok         ok         ok         ok            ok            denied           denied
    outsider ntok_    ok        ok         ok         denied     denied        denied        ok               denied
    admin ntok_       ok        ok         ok         denied     denied        denied        denied           denied`,

  'tool that changes an object': `
                      -/home    -/foreign  -/missing  home/home  home/foreign  home/missing  foreign/foreign  missing/home
    nobody            unknown   unknown    unknown    unknown    unknown       unknown       unknown          unknown
    any utok_         denied    denied     denied     denied     denied        denied        denied           denied
    owner ntok_       ok        absent     absent     ok         absent        absent        denied           denied
    member ntok_      ok        absent     absent     ok         absent        absent        denied           denied
    viewer ntok_      denied    denied     denied     denied     denied        denied        denied           denied
    outsider ntok_    absent    ok         absent     denied     denied        denied        ok               denied
    admin ntok_       absent    absent     absent     denied     denied        denied        denied           denied`,

  'tool that writes to an alias': `
                      -/home    -/foreign  -/missing  home/home  home/foreign  home/missing  foreign/foreign  missing/home
    nobody            unknown   unknown    unknown    unknown    unknown       unknown       unknown          unknown
    any utok_         denied    denied     denied     denied     denied        denied        denied           denied
    owner ntok_       ok        ok         ok         ok         ok            ok            denied           denied
    member ntok_      ok        ok         ok         ok         ok            ok            denied           denied
    viewer ntok_      denied    denied     denied     denied     denied        denied        denied           denied
    outsider ntok_    ok        ok         ok         denied     denied        denied        ok               denied
    admin ntok_       ok        ok         ok         denied     denied        denied        denied           denied`,

  // The other MCP methods: the ones that are the same for everyone, and the ones that show a network.
  'method for every token': `
                      -/-
    nobody            unknown
    any utok_         ok
    any ntok_         ok`,

  'method that reads': `
                      -/-
    nobody            unknown
    any utok_         denied
    any ntok_         ok`,

  'method that reads of an alias': `
                      -/home    -/foreign  -/missing
    nobody            unknown   unknown    unknown
    any utok_         denied    denied     denied
    any ntok_         ok        ok         ok`,
} as const;
