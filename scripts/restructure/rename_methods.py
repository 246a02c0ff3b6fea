import re,sys,pathlib
ROOT=pathlib.Path(sys.argv[1])
pairs=[l.split() for l in open(pathlib.Path(__file__).parent / 'methods.txt') if l.strip()]
for top in ('bot','tests'):
    for p in (ROOT/top).rglob('*.py'):
        if 'playground' in p.parts: continue
        t=p.read_text(); n=t
        for a,b in pairs:
            n=re.sub(rf'(?<=\.){a}\b',b,n); n=re.sub(rf'\bdef {a}\b',f'def {b}',n)
        if n!=t: p.write_text(n)
