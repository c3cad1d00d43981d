// Permissions for the records of a network, over REST and on the streams. patterns.ts explains how to read a table.

export const RECORD_TABLES = {
  'list of records': `
                      -/-       home/-     foreign/-  missing/-
    nobody            unknown   unknown    unknown    unknown
    admin utok_       ok        ok         ok         no-such
    owner utok_       ok        ok         forbidden  no-such
    member utok_      ok        ok         forbidden  no-such
    viewer utok_      ok        ok         forbidden  no-such
    outsider utok_    ok        forbidden  ok         no-such
    owner ntok_       ok        ok         denied     denied
    member ntok_      ok        ok         denied     denied
    viewer ntok_      ok        ok         denied     denied
    outsider ntok_    ok        denied     ok         denied
    admin ntok_       ok        denied     denied     denied`,

  // A filter that names a foreign object returns the same as one that names nothing: an empty list.
  'list filtered by an object': `
                      -/home    -/foreign  -/missing  home/home  home/foreign  home/missing
    nobody            unknown   unknown    unknown    unknown    unknown       unknown
    any utok_         ok        ok         ok         ok         ok            ok
    outsider utok_    ok        ok         ok         forbidden  forbidden     forbidden
    any ntok_         ok        ok         ok         ok         ok            ok
    outsider ntok_    ok        ok         ok         denied     denied        denied
    admin ntok_       ok        ok         ok         denied     denied        denied`,

  'stream of events': `
                      -/-       home/-     foreign/-  missing/-
    nobody            unknown   unknown    unknown    unknown
    ntok_ in the query  ok      ok         denied     denied
    admin utok_       ok        ok         ok         no-such
    owner utok_       ok        ok         forbidden  no-such
    member utok_      ok        ok         forbidden  no-such
    viewer utok_      ok        ok         forbidden  no-such
    outsider utok_    ok        forbidden  ok         no-such
    owner ntok_       ok        ok         denied     denied
    member ntok_      ok        ok         denied     denied
    viewer ntok_      ok        ok         denied     denied
    outsider ntok_    ok        denied     ok         denied
    admin ntok_       ok        denied     denied     denied`,

  "stream of an agent's events": `
                      -/home    -/foreign  -/missing  home/home  home/foreign  foreign/foreign  missing/home
    nobody            unknown   unknown    unknown    unknown    unknown       unknown          unknown
    ntok_ in the query  ok      ok         ok         ok         ok            denied           denied
    admin utok_       ok        ok         ok         ok         ok            ok               no-such
    owner utok_       ok        ok         ok         ok         ok            forbidden        no-such
    member utok_      ok        ok         ok         ok         ok            forbidden        no-such
    viewer utok_      ok        ok         ok         ok         ok            forbidden        no-such
    outsider utok_    ok        ok         ok         forbidden  forbidden     ok               no-such
    owner ntok_       ok        ok         ok         ok         ok            denied           denied
    member ntok_      ok        ok         ok         ok         ok            denied           denied
    viewer ntok_      ok        ok         ok         ok         ok            denied           denied
    outsider ntok_    ok        ok         ok         denied     denied        ok               denied
    admin ntok_       ok        ok         ok         denied     denied        denied           denied`,

  'reading an object': `
                      -/home    -/foreign  -/missing  home/home  home/foreign  home/missing  foreign/foreign  missing/home
    nobody            unknown   unknown    unknown    unknown    unknown       unknown       unknown          unknown
    admin utok_       absent    absent     absent     ok         absent        absent        ok               no-such
    owner utok_       ok        absent     absent     ok         absent        absent        forbidden        no-such
    member utok_      ok        absent     absent     ok         absent        absent        forbidden        no-such
    viewer utok_      ok        absent     absent     ok         absent        absent        forbidden        no-such
    outsider utok_    absent    ok         absent     forbidden  forbidden     forbidden     ok               no-such
    owner ntok_       ok        absent     absent     ok         absent        absent        denied           denied
    member ntok_      ok        absent     absent     ok         absent        absent        denied           denied
    viewer ntok_      ok        absent     absent     ok         absent        absent        denied           denied
    outsider ntok_    absent    ok         absent     denied     denied        denied        ok               denied
    admin ntok_       absent    absent     absent     denied     denied        denied        denied           denied`,

  'changing an object': `
                      -/home    -/foreign  -/missing  home/home  home/foreign  home/missing  foreign/foreign  missing/home
    nobody            unknown   unknown    unknown    unknown    unknown       unknown       unknown          unknown
    admin utok_       absent    absent     absent     forbidden  forbidden     forbidden     forbidden        no-such
    owner utok_       ok        absent     absent     ok         absent        absent        forbidden        no-such
    member utok_      unclear   unclear    unclear    ok         absent        absent        forbidden        no-such
    viewer utok_      denied    denied     denied     denied     denied        denied        forbidden        no-such
    outsider utok_    absent    ok         absent     forbidden  forbidden     forbidden     ok               no-such
    owner ntok_       ok        absent     absent     ok         absent        absent        denied           denied
    member ntok_      ok        absent     absent     ok         absent        absent        denied           denied
    viewer ntok_      denied    denied     denied     denied     denied        denied        denied           denied
    outsider ntok_    absent    ok         absent     denied     denied        denied        ok               denied
    admin ntok_       absent    absent     absent     denied     denied        denied        denied           denied`,

  // Messages can be sent to an alias that does not exist, so a foreign alias behaves like an unused one.
  'writing to an alias': `
                      -/home    -/foreign  -/missing  home/home  home/foreign  home/missing  foreign/foreign  missing/home
    nobody            unknown   unknown    unknown    unknown    unknown       unknown       unknown          unknown
    admin utok_       ok        ok         ok         forbidden  forbidden     forbidden     forbidden        no-such
    owner utok_       ok        ok         ok         ok         ok            ok            forbidden        no-such
    member utok_      unclear   unclear    unclear    ok         ok            ok            forbidden        no-such
    viewer utok_      denied    denied     denied     denied     denied        denied        forbidden        no-such
    outsider utok_    ok        ok         ok         forbidden  forbidden     forbidden     ok               no-such
    owner ntok_       ok        ok         ok         ok         ok            ok            denied           denied
    member ntok_      ok        ok         ok         ok         ok            ok            denied           denied
    viewer ntok_      denied    denied     denied     denied     denied        denied        denied           denied
    outsider ntok_    ok        ok         ok         denied     denied        denied        ok               denied
    admin ntok_       ok        ok         ok         denied     denied        denied        denied           denied`,

  broadcast: `
                      -/-       home/-     foreign/-  missing/-
    nobody            unknown   unknown    unknown    unknown
    admin utok_       ok        forbidden  forbidden  no-such
    owner utok_       ok        ok         forbidden  no-such
    member utok_      unclear   ok         forbidden  no-such
    viewer utok_      denied    denied     forbidden  no-such
    outsider utok_    ok        forbidden  ok         no-such
    owner ntok_       ok        ok         denied     denied
    member ntok_      ok        ok         denied     denied
    viewer ntok_      denied    denied     denied     denied
    outsider ntok_    ok        denied     ok         denied
    admin ntok_       ok        denied     denied     denied`,
} as const;
