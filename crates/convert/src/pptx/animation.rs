//! Paragraphs that appear one by one.

use std::fmt::Write as _;

/// The timing of a slide on which these paragraphs of a shape appear one after another.
pub(super) fn timing(shape: u32, steps: &[usize], paragraphs: usize) -> String {
    if steps.is_empty() {
        return String::new();
    }
    let mut out = String::from(
        "<p:timing><p:tnLst><p:par><p:cTn id=\"1\" dur=\"indefinite\" restart=\"never\" nodeType=\"tmRoot\"><p:childTnLst>\
         <p:seq concurrent=\"1\" nextAc=\"seek\"><p:cTn id=\"2\" dur=\"indefinite\" nodeType=\"mainSeq\"><p:childTnLst>",
    );
    let mut id = 3;
    for (index, start) in steps.iter().enumerate() {
        let end = steps.get(index + 1).map_or(paragraphs, |next| *next).saturating_sub(1).max(*start);
        let _ = write!(
            out,
            "<p:par><p:cTn id=\"{}\" fill=\"hold\"><p:stCondLst><p:cond delay=\"indefinite\"/></p:stCondLst><p:childTnLst>\
             <p:par><p:cTn id=\"{}\" fill=\"hold\"><p:stCondLst><p:cond delay=\"0\"/></p:stCondLst><p:childTnLst>\
             <p:par><p:cTn id=\"{}\" presetID=\"1\" presetClass=\"entr\" presetSubtype=\"0\" fill=\"hold\" grpId=\"0\" nodeType=\"clickEffect\">\
             <p:stCondLst><p:cond delay=\"0\"/></p:stCondLst><p:childTnLst><p:set><p:cBhvr><p:cTn id=\"{}\" dur=\"1\" fill=\"hold\">\
             <p:stCondLst><p:cond delay=\"0\"/></p:stCondLst></p:cTn><p:tgtEl><p:spTgt spid=\"{shape}\"><p:txEl><p:pRg st=\"{start}\" end=\"{end}\"/></p:txEl></p:spTgt></p:tgtEl>\
             <p:attrNameLst><p:attrName>style.visibility</p:attrName></p:attrNameLst></p:cBhvr><p:to><p:strVal val=\"visible\"/></p:to></p:set>\
             </p:childTnLst></p:cTn></p:par></p:childTnLst></p:cTn></p:par></p:childTnLst></p:cTn></p:par>",
            id,
            id + 1,
            id + 2,
            id + 3,
        );
        id += 4;
    }
    let _ = write!(
        out,
        "</p:childTnLst></p:cTn><p:prevCondLst><p:cond evt=\"onPrev\" delay=\"0\"><p:tgtEl><p:sldTgt/></p:tgtEl></p:cond></p:prevCondLst>\
         <p:nextCondLst><p:cond evt=\"onNext\" delay=\"0\"><p:tgtEl><p:sldTgt/></p:tgtEl></p:cond></p:nextCondLst></p:seq></p:childTnLst></p:cTn></p:par></p:tnLst>\
         <p:bldLst><p:bldP spid=\"{shape}\" grpId=\"0\" build=\"p\"/></p:bldLst></p:timing>"
    );
    out
}
